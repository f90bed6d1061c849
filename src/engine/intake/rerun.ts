/**
 * Runs a task again, as a new task of the same owner.
 *
 * It has the arguments, secrets included, and the rules of the first. It has nothing that belongs to the first call
 * alone: its key and alias, its waiters and deliveries, what must be sent to its client, and answers to questions.
 */

import { parseRedaction } from '../../codec/redaction.ts';
import { MASK, type SecretTree, toPointers, toTree } from '../../codec/secret-tree.ts';
import { TaskError } from '../../errors.ts';
import { QUEUE_LIMIT } from '../../limits.ts';
import { withCodec, withSecrets } from '../../store/codec/with-codec.ts';
import type { Store } from '../../store/contract.ts';
import type { FinishedStep, Share } from '../../store/contracts/task-contract.ts';
import type { Actor } from '../../task/actor.ts';
import type { TaskEvent } from '../../task/event.ts';
import { makeTaskId } from '../../task/id.ts';
import { type Json, toCanonicalJson } from '../../task/json.ts';
import type { NewTask, Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { Audit } from '../audit.ts';
import { type LimitSettings, limitsOf } from '../limit-options.ts';
import type { ParsedTool } from '../tool.ts';
import { toSubmitted } from './created-task.ts';
import { quotaError } from './quota-error.ts';
import { toStoredJson } from './stored-json.ts';
import { toQueue } from './task-queue.ts';

/** What differs from the first run. */
export interface RerunChanges {
  /** The first step that is run again: the values of the steps before it are kept. @default all are run again */
  readonly fromStep?: string;
  /** Other arguments. A secret that is still masked keeps its value. @default those of the task */
  readonly args?: unknown;
}

/** What an engine knows and its store does not. */
export interface RerunRules {
  readonly queueLimit: number;
  readonly sweepMs: number;
  /** Returns the tool of a task, if it is one of this program's. */
  toolOf(task: Task): ParsedTool | undefined;
  shareOf(principal: string): Share;
}

/** Returns the rules of an engine. */
export function toRerunRules(
  settings: Pick<RerunRules, 'queueLimit' | 'sweepMs'> & {
    readonly identity: string;
    readonly tools: ReadonlyMap<string, ParsedTool>;
    readonly limits: LimitSettings;
  },
): RerunRules {
  const { queueLimit, sweepMs, identity, tools, limits } = settings;
  return {
    ...{ queueLimit, sweepMs },
    toolOf: (task) => (task.identity === identity ? tools.get(task.tool) : undefined),
    shareOf: (principal) => limitsOf(limits, principal),
  };
}

export interface RerunDeps {
  /** The store as the caller sees it. */
  readonly store: Store;
  readonly rules?: RerunRules | undefined;
  readonly audit?: Audit | undefined;
}

const PAGE = 1000;

/** Writes the new task; it is durable when this resolves. `task` is the first one, as the caller sees it. */
export async function rerunTask(
  deps: RerunDeps,
  task: Task,
  how: RerunChanges & { readonly by: Actor },
): Promise<Task> {
  const { store, rules, audit } = deps;
  const { by, fromStep } = how;
  checkOver(task, how);
  const secretStore = withSecrets(store);
  const whole = (await secretStore.tasks.get({ taskId: task.taskId })) ?? task;
  // Read with masks: the caller's own view may show what is stored, unmasked.
  const shown = (await withCodec(store).tasks.get({ taskId: task.taskId })) ?? task;
  const secret = findMasked(whole.args, shown.args);
  const args =
    how.args === undefined ? whole.args : unmask(toStoredJson('the arguments', how.args), whole.args, secret);
  const tool = rules?.toolOf(task);
  tool?.parseArgs(args);
  const steps = fromStep === undefined ? [] : await readStepsBefore(store, task.taskId, fromStep);
  const fresh = toNewTask(whole, { args, taskId: makeTaskId(store.time().now) });
  const wanted = await withQueue(store, tool, { of: task, task: fresh });
  const share = rules?.shareOf(task.principal);
  const redact = secret && parseRedaction(toPointers(secret));
  const result = await secretStore.tasks.create(wanted, {
    queueLimit: rules?.queueLimit ?? QUEUE_LIMIT,
    by,
    rerun: { of: task.taskId, by, steps },
    ...(share && { share }),
    ...(redact && { redact }),
  });
  if (result.kind === 'over-share')
    throw quotaError(result, { share: share as Share, task: wanted, sweepMs: rules?.sweepMs ?? 0 });
  const { taskId, principal } = toSubmitted(wanted, result).task;
  const from = { rerunOf: task.taskId, ...(fromStep !== undefined && { fromStep }) };
  audit?.({ at: store.time().now, action: 'rerun', by, taskId, tool: task.tool, principal, ...from });
  return (await store.tasks.get({ taskId })) ?? toSubmitted(wanted, result).task;
}

function checkOver({ taskId, status, outcome }: Task, { fromStep, args }: RerunChanges): void {
  const refuse = (says: string) => new TaskError('INVALID_ARGUMENT', `task ${taskId} ${says}`);
  if (!isTerminal(status)) throw refuse(`is ${status}; expected one that has ended: cancel it first`);
  if (outcome?.kind === 'expired') throw refuse('has expired, and its arguments are gone; submit a new one');
  if (fromStep !== undefined && args !== undefined)
    throw refuse('cannot keep steps that were taken with other arguments; give fromStep or args');
}

function toNewTask(of: Task, { taskId, args }: { taskId: string; args: Json }): NewTask {
  const { tool, principal, identity, ttlMs, idempotent, maxAttempts, estimateMs, pollIntervalMs, labels } = of;
  // Labels of a dialect name the client of the first call, which would then be notified of this one.
  const isOfCall = labels?.dialect !== undefined;
  return {
    ...{ taskId, tool, args, principal, identity, ttlMs, idempotent, maxAttempts, deliver: [] },
    ...(estimateMs !== undefined && { estimateMs }),
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
    ...(labels !== undefined && !isOfCall && { labels }),
  };
}

/** A task that ran in a queue must do so again, and only its tool knows which queue that is. */
async function withQueue(
  store: Store,
  tool: ParsedTool | undefined,
  { of, task }: { readonly of: Task; readonly task: NewTask },
): Promise<NewTask> {
  const queue = tool && toQueue(tool, task);
  if (queue !== undefined) return { ...task, queue };
  const [first] = tool ? [] : await store.tasks.events(of.taskId, 0, 1);
  if (first?.type !== 'submitted' || first.isInQueue !== true) return task;
  const says = `tasks of ${of.tool} stand in queues, and only their own program knows in which`;
  throw new TaskError('INVALID_ARGUMENT', `${says}; run task ${of.taskId} again through an engine that has the tool`);
}

/** Returns the steps that ended before `fromStep`, in the order in which they ended. */
async function readStepsBefore(store: Store, taskId: string, fromStep: string): Promise<FinishedStep[]> {
  const names: string[] = [];
  for await (const event of readEvents(store, taskId)) if (event.type === 'stepped') names.push(event.name);
  const end = names.indexOf(fromStep);
  if (end < 0) {
    const expected = names.length === 0 ? 'it has none' : `expected ${names.join(', ')}`;
    throw new TaskError(
      'INVALID_ARGUMENT',
      `task ${taskId} has no finished step ${JSON.stringify(fromStep)}; ${expected}`,
    );
  }
  const values = await store.tasks.steps(taskId);
  return names
    .slice(0, end)
    .flatMap((name) => (Object.hasOwn(values, name) ? [{ name, value: values[name] ?? null }] : []));
}

async function* readEvents(store: Store, taskId: string): AsyncGenerator<TaskEvent> {
  for (let after = 0; ; ) {
    const events = await store.tasks.events(taskId, after, PAGE);
    yield* events;
    if (events.length < PAGE) return;
    after = events.at(-1)?.seq ?? after;
  }
}

/** Returns the places where a value is masked. */
function findMasked(whole: Json, shown: Json): SecretTree | undefined {
  if (shown === MASK && whole !== MASK) return true;
  if (whole === null || typeof whole !== 'object' || shown === null || typeof shown !== 'object') return undefined;
  if (toCanonicalJson(whole) === toCanonicalJson(shown)) return undefined;
  const members = shown as Readonly<Record<string, Json>>;
  return toTree(whole, (member, key) => findMasked(member as Json, members[key] ?? null));
}

/** Returns other arguments, with the old secrets where only a mask was given. */
function unmask(given: Json, whole: Json, secret: SecretTree | undefined): Json {
  if (secret === undefined) return given;
  if (secret === true) return given === MASK ? whole : given;
  if (given === null || typeof given !== 'object') return given;
  const before = whole as Readonly<Record<string, Json>>;
  const entries = Object.entries(given).map(([key, value]) => {
    return [key, unmask(value, before[key] ?? null, secret.get(key))] as const;
  });
  return Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
