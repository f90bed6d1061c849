import type { Store } from '../../../store/contract.ts';
import { toActorText } from '../../../task/actor.ts';
import { toRemainingMs } from '../../../task/estimate.ts';
import type { Outcome } from '../../../task/outcome.ts';
import { type Question, type QuestionRequest, toAwaitedText } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';
import { toPlainPage, toPlainText } from '../../../text/plain-text.ts';
import { toDurationText } from '../../command-line/duration.ts';
import { findTask } from '../../stores/find-task.ts';
import { paintStatus, toProgressText, toTimeText, toValueText } from '../../terminal/format.ts';
import { readTaskActions, type TaskAction } from '../../terminal/task-actions.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { TasksShowContext } from './task-commands.ts';
import { type WithStore, withTask } from './with-store.ts';

/** Shows the whole record of one task. */
export function showTask(context: TasksShowContext): Promise<number> {
  return withTask(context, { readOnly: true, run });
}

async function run({ access, store, args: [ref = ''], terminal }: WithStore<TasksShowContext>): Promise<number> {
  const task = await findTask(access, ref);
  const acts = await readTaskActions(store, task.taskId);
  if (terminal.json) terminal.printJson(acts.length > 0 ? { ...task, acts } : task);
  else {
    const { now } = store.time();
    const stalled = await toStallLines(task, store);
    const lines = [...toLines(task, { terminal, now }), ...stalled, ...toActionLines(acts, now)];
    for (const [label, text] of lines) terminal.print(`${label.padEnd(12)}${text}`.trimEnd());
  }
  return 0;
}

type Line = readonly [label: string, text: string];

function toActionLines(acts: readonly TaskAction[], now: number): Line[] {
  return acts.map(({ what, by, at }) => [
    'By',
    `${toPlainText(`${what}: ${toActorText(by)}`)}, ${toTimeText(at, now)}`,
  ]);
}

/** Reports a worker that has been silent for so long that it is about to be declared dead. */
async function toStallLines({ worker, identity }: Task, store: Store): Promise<Line[]> {
  if (worker === undefined) return [];
  const silence = (await store.workers.list(identity)).find(({ workerId }) => workerId === worker)?.silence;
  if (silence?.stalledMs === undefined) return [];
  return [['Stalled', `its worker has been silent for ${toDurationText(silence.silentMs)}`]];
}

function toLines(task: Task, { terminal, now }: { readonly terminal: Terminal; readonly now: number }): Line[] {
  return [
    ['Task', task.taskId],
    ...toOptional('Alias', task.alias),
    ['Tool', toPlainText(task.tool)],
    ['Arguments', toValueText(task.args, terminal)],
    ['Principal', toPlainText(task.principal)],
    ['Identity', toPlainText(task.identity)],
    ['Status', paintStatus(task.status, terminal)],
    ...toOptional('Message', task.statusMessage),
    ...toOptional('Progress', toProgressText(task.progress) || undefined),
    ...toTimes(task, now),
    ['Attempt', `${task.attempt} of at most ${task.idempotent ? task.maxAttempts : 1}, fence ${task.fence}`],
    ...toOptional('Suspect', toSuspectText(task.losses)),
    ...toOptional('Worker', task.worker),
    ...toOptional('Key', task.idempotencyKey),
    ...task.questions.flatMap((question) => toQuestion(question, task, terminal)),
    ...toOutcome(task.outcome, terminal),
    ['Events', String(task.lastSeq)],
  ];
}

function toOptional(label: string, text: string | undefined): Line[] {
  return text === undefined ? [] : [[label, toPlainText(text)]];
}

/** A text of several lines, shown to the operator only; clients never get it. */
function toPage(label: string, text: string | undefined): Line[] {
  const lines = text === undefined ? [] : toPlainPage(text).split('\n');
  return lines.map((line, at) => [at === 0 ? label : '', line]);
}

function toSuspectText(losses: number | undefined): string | undefined {
  if (losses === undefined) return undefined;
  return `at work in ${losses === 1 ? 'a worker' : `${losses} workers`} that ended; it runs apart until it ends`;
}

function toTimes(task: Task, now: number): Line[] {
  const leftMs = isTerminal(task.status) ? undefined : toRemainingMs(task, now);
  return [
    ['Created', toTimeText(task.createdAt, now)],
    ...toTimeLine('Started', task.startedAt, now),
    ...(task.status === 'queued' && task.runAt > now ? toTimeLine('Due', task.runAt, now) : []),
    ...toTimeLine('Start by', task.startBy, now),
    ...toOptional('Left', leftMs === undefined ? undefined : `about ${toDurationText(leftMs)}`),
    ...toOptional('Waits for', isTerminal(task.status) ? undefined : toAwaitedText(task.questions)),
    ...toTimeLine('Ended', task.endedAt, now),
    ...toTimeLine('Expires', task.expiresAt, now),
  ];
}

function toTimeLine(label: string, at: number | undefined, now: number): Line[] {
  return at === undefined ? [] : [[label, toTimeText(at, now)]];
}

function toQuestion({ key, request, answer }: Question, task: Task, terminal: Terminal): Line[] {
  const state = answer?.action ?? (isTerminal(task.status) ? 'withdrawn' : 'open');
  const lines: Line[] = [['Question', `${toPlainText(key)} (${state}): ${toPlainText(toAsked(request))}`]];
  if (state === 'open' && request.kind === 'form') lines.push(['', `schema ${toValueText(request.schema, terminal)}`]);
  if (answer?.action === 'accept') lines.push(['', `answer ${toValueText(answer.content ?? null, terminal)}`]);
  return lines;
}

function toAsked(request: QuestionRequest): string {
  switch (request.kind) {
    case 'form':
      return request.message;
    case 'url':
      return `${request.message} ${request.url}`;
    case 'sampling':
      return 'a sampling request';
    case 'roots':
      return 'a roots request';
  }
}

function toOutcome(outcome: Outcome | undefined, terminal: Terminal): Line[] {
  switch (outcome?.kind) {
    case undefined:
      return [];
    case 'result':
      return [['Outcome', `result ${toValueText(outcome.value, terminal)}`]];
    case 'error':
      return [
        ['Outcome', `error ${toPlainText(`${outcome.error.code}: ${outcome.error.message}`)}`],
        ...toPage('Stack', outcome.error.stack),
      ];
    case 'expired':
      return [
        ['Outcome', `expired, was ${outcome.was}: ${toPlainText(outcome.reason)}`],
        ...toOptional('Pruned', outcome.by && `by ${toActorText(outcome.by)}`),
      ];
    case 'interrupted':
      return [
        ['Outcome', `interrupted: ${toPlainText(outcome.reason)}`],
        ...toPage('Worker log', outcome.details?.replace(/^log: /, '')),
      ];
    case 'cancelled':
      return [['Outcome', `cancelled: ${toPlainText(outcome.reason)}`], ...toOptional('Stopped', outcome.stopped)];
  }
}
