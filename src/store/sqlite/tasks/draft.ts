import { checkText } from '../../../sqlite/database.ts';
import type { Actor } from '../../../task/actor.ts';
import { toFingerprint } from '../../../task/json.ts';
import type { NewTask } from '../../../task/record.ts';
import type { NewHold } from '../../contracts/hold-contract.ts';
import type { CreateOptions, Rerun } from '../../contracts/task-contract.ts';
import { toFirstEvents } from '../../decide.ts';
import { toBodyText, toEventBytes, toStepBytes, toTaskBytes } from '../../stored-bytes.ts';
import { toJsonText, toListText } from '../rows.ts';

/** A new task with everything that can be computed before its transaction. */
export interface Draft {
  readonly task: NewTask;
  readonly argsText: string;
  /** Only tasks with a key or an alias can be joined, so only they have fingerprints. */
  readonly fingerprints: readonly string[] | undefined;
  readonly hold: NewHold | undefined;
  /** Who takes over a held task. */
  readonly by: Actor | undefined;
  readonly texts: { readonly deliver: string | null; readonly trace: string | null; readonly labels: string | null };
  readonly bytes: number;
  /** Its place in its queue, set inside the transaction. */
  readonly place: QueuePlace;
  /** Names under which its queue may exist, the current name first. */
  readonly queues: readonly string[];
  readonly rerun: Rerun | undefined;
}

export interface QueuePlace {
  readonly queue: string | null;
  readonly behind: 0 | 1;
}

const NO_QUEUE: QueuePlace = { queue: null, behind: 0 };
const NO_QUEUES: readonly string[] = [];

export function toDraft(
  task: NewTask,
  { hold, by, fingerprints, queueAliases = [], rerun }: Partial<CreateOptions>,
): Draft {
  checkNames(task);
  for (const { name } of rerun?.steps ?? []) checkText(name);
  for (const name of queueAliases) checkText(name);
  for (const name of [hold?.key ?? '', hold?.answeredKey ?? '', hold?.by ?? '']) checkText(name);
  const canBeJoined = task.idempotencyKey !== undefined || task.alias !== undefined;
  const argsText = JSON.stringify(task.args);
  const { alias, idempotencyKey: key } = task;
  const labels = toJsonText(task.labels);
  const texts = { deliver: toListText(task.deliver), trace: toJsonText(task.trace), labels };
  return {
    task,
    argsText,
    fingerprints: canBeJoined ? (fingerprints ?? [toFingerprint(task.args)]) : undefined,
    hold,
    by,
    texts,
    bytes: toTaskBytes({ alias, key, labels }, argsText, texts.deliver, texts.trace) + toFirstBytes(task, rerun),
    place: NO_QUEUE,
    queues: task.queue === undefined ? NO_QUEUES : [task.queue, ...queueAliases],
    rerun,
  };
}

function toFirstBytes(task: NewTask, rerun: Rerun | undefined): number {
  if (rerun === undefined && task.queue === undefined) return toEventBytes(null);
  const events = toFirstEvents(task, rerun).map((body) => toEventBytes(toBodyText(body)));
  return events.reduce((bytes, more) => bytes + more, toStepBytes(rerun?.steps ?? []));
}

/** Arguments longer than this many characters are stored in `long_args`. */
export const LONG_ARGS = 4096;

/** Whether the arguments are stored in `long_args`. */
export function hasLongArgs({ argsText }: Draft): boolean {
  return argsText.length > LONG_ARGS;
}

// Checked before the transaction, which other verbs share. Topics are written only when the task ends, which must not fail
// because of something that was known at the start.
function checkNames(task: NewTask): void {
  const { taskId, tool, principal, identity, alias = '', idempotencyKey = '', queue = '', deliver } = task;
  for (const name of [taskId, tool, principal, identity, alias, idempotencyKey, queue]) checkText(name);
  for (const { topic } of deliver) checkText(topic);
}
