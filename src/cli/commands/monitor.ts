import { join, resolve } from 'node:path';

import { type Answer, toAnswer } from '../../apps/monitor/answer.ts';
import { changeFilter, changePriority, showFilter, showPriority } from '../../apps/monitor/config/config-answers.ts';
import { MONITOR_NAME, type Monitor, openMonitor } from '../../apps/monitor/monitor.ts';
import { TaskError } from '../../errors.ts';
import { toPlainText } from '../../plain-text.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import type { CommandName, OptionValues } from '../command-line/options.ts';
import { type AppListening, parseListening, serveApp } from '../serve-app.ts';
import { toPromptRoots } from '../stores/state-dir.ts';
import { createProgressLine } from '../terminal/progress-line.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The commands of the file monitor. */
export type MonitorCommand = Extract<CommandName, 'monitor' | `monitor ${string}`>;

export interface MonitorContext {
  readonly args: readonly string[];
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
}

type AskCommand = Exclude<MonitorCommand, 'monitor'>;
type Ask = (monitor: Monitor, context: MonitorContext) => Answer<object> | Promise<Answer<object>>;

const ASKS: Readonly<Record<AskCommand, Ask>> = {
  'monitor sync': sync,
  'monitor status': (monitor) => toAnswer(monitor.status()),
  'monitor check': (monitor, { args: [path = ''] }) => toAnswer(monitor.check(toTarget(path))),
  'monitor filter show': (monitor) => showFilter(monitor),
  'monitor filter add': (monitor, { args: [list = '', value = ''] }) => changeFilter(monitor, 'add', { list, value }),
  'monitor filter remove': (monitor, { args: [list = '', value = ''] }) =>
    changeFilter(monitor, 'remove', { list, value }),
  'monitor priority show': (monitor) => showPriority(monitor),
  'monitor priority add': (monitor, { args: [path = '', priority = ''] }) =>
    changePriority(monitor, toTarget(path), parsePriority(priority)),
  'monitor priority remove': (monitor, { args: [path = ''] }) => changePriority(monitor, toTarget(path)),
};

/** Serves the monitor, or answers one question: JSON on stdout, remarks on stderr. */
export async function runMonitor(command: MonitorCommand, context: MonitorContext): Promise<number> {
  const listening = parseListening(context.values);
  await using monitor = openMonitor(toPlaces(command, context.values));
  if (command === 'monitor') return await serve(monitor, listening, context);
  const answer = await ASKS[command](monitor, context);
  print(answer, context.terminal);
  return answer.success ? 0 : 1;
}

async function serve(monitor: Monitor, listening: AppListening | undefined, context: MonitorContext): Promise<number> {
  const { createMonitorServer } = await import('../../apps/monitor/monitor-server.ts');
  const { values, version } = context;
  const bareJobs = values['bare-jobs'] ?? false;
  await using server = createMonitorServer({ monitor, version, bareJobs, ...toPromptRoots(values) });
  return await serveApp(server, listening, context.terminal);
}

function toPlaces(command: MonitorCommand, { db, config }: OptionValues) {
  const directory = resolveStoreDirectory(MONITOR_NAME);
  return {
    database: db ?? join(directory, 'monitor.db'),
    config: config ?? join(directory, 'monitor.json'),
    // A mistyped path is not made into an empty database.
    create: db === undefined || command === 'monitor' || command === 'monitor sync',
  };
}

async function sync(monitor: Monitor, { args: [path = ''], values, terminal }: MonitorContext) {
  const { recursive = false, rehash = false } = values;
  const line = createProgressLine(terminal);
  const breaking = new AbortController();
  let seen = '';
  const stop = () =>
    breaking.abort(new TaskError('CANCELLED', `cancelled${seen}; what is done stays, and the next sync goes on`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await monitor.sync({
      path: toTarget(path),
      recursive,
      rehash,
      signal: breaking.signal,
      onProgress({ value, done, total, message }) {
        seen = ` after ${done} of ${total} files`;
        line.show(value, message);
      },
    });
  } finally {
    line.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** The shell's paths begin at its working directory. */
function toTarget(path: string): string {
  return path.startsWith('~') || path.startsWith('file:') ? path : resolve(path);
}

function parsePriority(text: string): number {
  const priority = text.trim() === '' ? Number.NaN : Number(text);
  if (priority >= 0 && Number.isFinite(priority)) return priority;
  throw new TaskError('USAGE', `PRIORITY is ${JSON.stringify(text)}; expected a number from 0 up`);
}

function print(answer: Answer<object>, terminal: Terminal): void {
  if (terminal.json) {
    terminal.printJson(answer);
    return;
  }
  // Names of files can hold what a terminal obeys. In JSON it stands only within texts, where the escape means the same.
  for (const line of JSON.stringify(answer, null, 2).split('\n')) terminal.print(toPlainText(line));
  for (const { type, text } of answer.messages) terminal.remark(toPlainText(`${type}: ${text}`));
}
