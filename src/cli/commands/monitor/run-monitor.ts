import { join, resolve } from 'node:path';

import { type Answer, toAnswer } from '../../../apps/monitor/answer.ts';
import { changeFilter, changePriority, showFilter, showPriority } from '../../../apps/monitor/config/config-answers.ts';
import { MONITOR_NAME, type Monitor, openMonitor } from '../../../apps/monitor/monitor.ts';
import { TaskError } from '../../../errors.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import type { CommandContext } from '../../command-line/command.ts';
import type { MONITOR, MonitorValues } from '../../command-line/shared-options.ts';
import { toPromptRoots } from '../../stores/state-dir.ts';
import { createProgressLine } from '../../terminal/progress-line.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readVersion } from '../../version.ts';
import { serveApp, toListening } from '../serve/serve-app.ts';
import type { MonitorSyncContext, MonitorContext as ServeContext } from './monitor-commands.ts';
import { toMonitorTable } from './monitor-table.ts';

type MonitorContext = CommandContext<typeof MONITOR>;

/** Serves the monitor as an MCP server. */
export async function serveMonitor({ values, terminal }: ServeContext): Promise<number> {
  const listening = toListening(values);
  await using monitor = openMonitor({ ...toPlaces(values), create: true });
  const { createMonitorServer } = await import('../../../apps/monitor/monitor-server.ts');
  const bareJobs = values['bare-jobs'] ?? false;
  await using server = createMonitorServer({ monitor, version: readVersion(), bareJobs, ...toPromptRoots(values) });
  return await serveApp(server, listening, terminal);
}

export function syncPath(context: MonitorSyncContext): Promise<number> {
  return answer(context, { create: true, ask: (monitor) => sync(monitor, context) });
}

export function showStatus(context: MonitorContext): Promise<number> {
  return answer(context, { ask: (monitor) => toAnswer(monitor.status()) });
}

export function checkPath(context: MonitorContext): Promise<number> {
  const [path = ''] = context.args;
  return answer(context, { ask: (monitor) => toAnswer(monitor.check(toTarget(path))) });
}

export function showFilters(context: MonitorContext): Promise<number> {
  return answer(context, { ask: showFilter });
}

export function addFilter(context: MonitorContext): Promise<number> {
  const [list = '', value = ''] = context.args;
  return answer(context, { ask: (monitor) => changeFilter(monitor, 'add', { list, value }) });
}

export function removeFilter(context: MonitorContext): Promise<number> {
  const [list = '', value = ''] = context.args;
  return answer(context, { ask: (monitor) => changeFilter(monitor, 'remove', { list, value }) });
}

export function showPriorities(context: MonitorContext): Promise<number> {
  return answer(context, { ask: showPriority });
}

export function addPriority(context: MonitorContext): Promise<number> {
  const [path = '', priority = ''] = context.args;
  return answer(context, { ask: (monitor) => changePriority(monitor, toTarget(path), parsePriority(priority)) });
}

export function removePriority(context: MonitorContext): Promise<number> {
  const [path = ''] = context.args;
  return answer(context, { ask: (monitor) => changePriority(monitor, toTarget(path)) });
}

interface Question {
  readonly ask: (monitor: Monitor) => Answer<object> | Promise<Answer<object>>;
  /** Whether to create a database that was named and does not exist. */
  readonly create?: boolean;
}

/** Prints the answer to one question on stdout, and its messages on stderr. */
async function answer({ values, terminal }: MonitorContext, { ask, create = false }: Question): Promise<number> {
  // A mistyped path must not create an empty database.
  await using monitor = openMonitor({ ...toPlaces(values), create: create || values.db === undefined });
  const found = await ask(monitor);
  print(found, terminal);
  return found.success ? 0 : 1;
}

function toPlaces({ db, config }: MonitorValues) {
  const directory = resolveStoreDirectory(MONITOR_NAME);
  return { database: db ?? join(directory, 'monitor.db'), config: config ?? join(directory, 'monitor.json') };
}

async function sync(monitor: Monitor, { args: [path = ''], values, terminal }: MonitorSyncContext) {
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

/** Relative paths from the shell are resolved against the working directory. */
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
  for (const line of toLines(answer, terminal)) terminal.print(line);
  for (const { type, text } of answer.messages) terminal.remark(toPlainText(`${type}: ${text}`));
}

/** A table for a terminal; JSON for a pipe. */
function toLines(answer: Answer<object>, { isTty }: Terminal): string[] {
  if (isTty) return Object.keys(answer.data).length === 0 ? [] : toMonitorTable(answer.data);
  // File names can hold control characters that a terminal obeys. In JSON they occur only in strings, where the escape is
  // equivalent.
  return JSON.stringify(answer, null, 2).split('\n').map(toPlainText);
}
