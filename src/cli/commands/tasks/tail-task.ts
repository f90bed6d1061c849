import { OPERATOR } from '../../../engine/task-client.ts';
import { type Actor, toActorText } from '../../../task/actor.ts';
import type { EventGap, TaskEvent } from '../../../task/event.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { findTask } from '../../stores/find-task.ts';
import { toProgressText, toValueText } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { TasksTailContext } from './task-commands.ts';
import { type WithStore, withTask } from './with-store.ts';

// The exit code that shells report for a program ended by Ctrl-C.
const INTERRUPTED = 130;

/** Prints past and new events until the task has ended. */
export function tailTask(context: TasksTailContext): Promise<number> {
  return withTask(context, { readOnly: true, run });
}

async function run({ access, args: [ref = ''], values, terminal }: WithStore<TasksTailContext>): Promise<number> {
  const { after: afterSeq = 0 } = values;
  const { taskId } = await findTask(access, ref);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    for await (const event of access.watch(taskId, { principal: OPERATOR, afterSeq, signal: stop.signal })) {
      if (terminal.json) terminal.printJson(event);
      else terminal.print(toLine(event, terminal));
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
  return stop.signal.aborted ? INTERRUPTED : 0;
}

/** Formats an event as one line. */
export function toLine(event: TaskEvent | EventGap, terminal: Terminal): string {
  if (event.type === 'gap') return terminal.paint('gray', `… events ${event.from} to ${event.to} were dropped`);
  const time = terminal.paint('gray', new Date(event.at).toISOString());
  return `${time}  ${String(event.seq).padStart(4)}  ${event.type.padEnd(9)}  ${toDetail(event, terminal)}`.trimEnd();
}

function toBy(by: Actor | undefined): string {
  return by ? ` by ${toPlainText(toActorText(by))}` : '';
}

function toDetail(event: TaskEvent, terminal: Terminal): string {
  switch (event.type) {
    case 'submitted':
      return event.rerunOf === undefined ? '' : `runs ${toPlainText(event.rerunOf)} again${toBy(event.by)}`;
    case 'parked':
      return '';
    case 'spawned':
      return `process ${event.pid}, ${toPlainText(event.command)}`;
    case 'exited':
      return `process ${event.pid}, ${event.signal ?? `code ${event.code}`}`;
    case 'claimed':
      return `attempt ${event.attempt}, fence ${event.fence}, worker ${toPlainText(event.worker)}`;
    case 'asked':
      return `${toPlainText(event.key)} ${toValueText(event.request, terminal)}`;
    case 'answered':
      return `${toPlainText(event.key)} ${toValueText(event.answer, terminal)}${toBy(event.by)}`;
    case 'taken-over':
      return toBy(event.by).trimStart();
    case 'adopted':
      return `from ${toPlainText(event.from)} to ${toPlainText(event.to)}${toBy(event.by)}`;
    case 'stalled':
      return `worker ${toPlainText(event.worker)} has been silent for ${event.silentMs} ms`;
    case 'requeued':
      return `${event.reason}, due ${new Date(event.runAt).toISOString()}`;
    case 'stepped':
      return toPlainText(event.name);
    case 'ended':
      return toPlainText([event.status, event.outcome, event.message].filter(Boolean).join(', ')) + toBy(event.by);
    case 'progress':
      return toPlainText([toProgressText(event), event.message].filter(Boolean).join(' '));
    case 'log':
      return `${event.level} ${toPlainText(event.message)}${event.data === undefined ? '' : ` ${toValueText(event.data, terminal)}`}`;
    case 'stream':
      return toValueText(event.data, terminal);
  }
}
