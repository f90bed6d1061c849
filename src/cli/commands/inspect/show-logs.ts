import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OPERATOR } from '../../../engine/task-client.ts';
import { TaskError } from '../../../errors.ts';
import type { TaskEvent } from '../../../task/event.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { findTask } from '../../stores/find-task.ts';
import { toValueText } from '../../terminal/format.ts';
import { INTERRUPTED } from '../../terminal/interrupt.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type WithStore, withTask } from '../tasks/with-store.ts';
import type { LogsContext } from './inspect-commands.ts';

/** Shows the log of a task, or the output of its worker process. */
export function showLogs(context: LogsContext): Promise<number> {
  return withTask(context, { readOnly: true, run });
}

async function run(context: WithStore<LogsContext>): Promise<number> {
  const { access, args, values, terminal } = context;
  const task = await findTask(access, args[0] ?? '');
  if (values.worker) return printWorkerLog(task, context);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const shown = await printLog(task, context, stop.signal);
    if (shown === 0 && !terminal.json) remarkEmptyLog(task, context);
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
  return stop.signal.aborted ? INTERRUPTED : 0;
}

/** Returns how many lines were printed. */
async function printLog(task: Task, { access, values, terminal }: WithStore<LogsContext>, signal: AbortSignal) {
  let shown = 0;
  for await (const event of access.watch(task.taskId, { principal: OPERATOR, signal })) {
    if (event.type === 'log') {
      shown += 1;
      if (terminal.json) terminal.printJson(event);
      else terminal.print(toLine(event, terminal));
    }
    if (!values.follow && event.type !== 'gap' && event.seq >= task.lastSeq) break;
  }
  return shown;
}

function remarkEmptyLog(task: Task, { store, terminal }: WithStore<LogsContext>): void {
  const log = toWorkerLog(task, store.directory);
  const other = log === undefined ? '' : '; --worker shows what its worker process has printed';
  const more = isTerminal(task.status) ? '' : ' yet';
  terminal.remark(`the task has logged nothing${more}; holdfast tasks tail shows all that happened to it${other}`);
}

const STYLES = { debug: 'gray', info: 'cyan', warning: 'yellow', error: 'red' } as const;

function toLine({ at, level, message, data }: Extract<TaskEvent, { type: 'log' }>, terminal: Terminal): string {
  const time = terminal.paint('gray', new Date(at).toISOString());
  const more = data === undefined ? '' : ` ${toValueText(data, terminal)}`;
  return `${time}  ${terminal.paint(STYLES[level] ?? 'gray', toPlainText(level).padEnd(7))}  ${toPlainText(message)}${more}`;
}

/** The log file is shared by all tasks of the program, and tools may print anything to it. */
async function printWorkerLog(task: Task, { store, terminal }: WithStore<LogsContext>): Promise<number> {
  const path = toWorkerLog(task, store.directory);
  if (path === undefined) {
    const why = 'no detached worker of its program has printed anything';
    throw new TaskError('STORE_NOT_FOUND', `there is no worker log for task ${task.taskId}: ${why}`);
  }
  if (!terminal.json) terminal.remark(path);
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (terminal.json) terminal.printJson({ line });
    else terminal.printText(line);
  }
  return 0;
}

function toWorkerLog({ identity }: Task, directory: string | undefined): string | undefined {
  if (directory === undefined || !/^[\w.-]+$/.test(identity)) return undefined;
  const path = join(directory, `worker-${identity}.log`);
  return existsSync(path) ? path : undefined;
}
