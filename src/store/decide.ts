/**
 * What each verb of `TaskStore` decides, independent of where tasks are stored.
 *
 * Every store calls these functions, so two stores cannot disagree on the result of a race, a lost worker or a late answer.
 * They are pure: record in, decision out.
 */
import type { TaskErrorCode } from '../errors.ts';
import { MAX_SHARED_LOSSES } from '../limits.ts';
import type { Actor } from '../task/actor.ts';
import type { AttemptBody, EventBody } from '../task/event.ts';
import { toCanonicalJson } from '../task/json.ts';
import { type SettledOutcome, toStatus, toStatusMessage } from '../task/outcome.ts';
import { type Answer, isOpen } from '../task/question.ts';
import type { NewTask, Progress, Task } from '../task/record.ts';
import { canMove, isTerminal, type Status } from '../task/status.ts';
import { toExpiry } from '../task/ttl.ts';
import type { AttemptWrite, DeadWorker, Lease, Release, Rerun, Settlement } from './contracts/task-contract.ts';

/** A stored task or tombstone with the key or the alias of a new task. */
export interface Namesake {
  readonly taskId: string;
  readonly tool: string;
  /** Of the arguments; tombstones keep it. */
  readonly fingerprint: string;
}

/** Whether a new task is written, joined to an earlier one, or rejected. */
export type CreateDecision =
  | { readonly kind: 'create' }
  | { readonly kind: 'join'; readonly taskId: string }
  | { readonly kind: 'conflict'; readonly on: 'idempotencyKey' | 'alias'; readonly taskId: string };

/**
 * Joins the task with the same key or alias, or says why this is another call. A key and an alias that name two tasks are a
 * conflict.
 */
export function decideCreate(
  wanted: { readonly tool: string; readonly fingerprints: readonly string[] },
  found: { readonly byKey?: Namesake | undefined; readonly byAlias?: Namesake | undefined },
): CreateDecision {
  const { byKey, byAlias } = found;
  const differs = ({ tool, fingerprint }: Namesake) =>
    tool !== wanted.tool || !wanted.fingerprints.includes(fingerprint);
  if (byKey && differs(byKey)) return { kind: 'conflict', on: 'idempotencyKey', taskId: byKey.taskId };
  if (byAlias && differs(byAlias)) return { kind: 'conflict', on: 'alias', taskId: byAlias.taskId };
  if (byKey && byAlias && byKey.taskId !== byAlias.taskId) {
    return { kind: 'conflict', on: 'alias', taskId: byAlias.taskId };
  }
  const joined = byKey ?? byAlias;
  return joined ? { kind: 'join', taskId: joined.taskId } : { kind: 'create' };
}

type Holding = Pick<Task, 'status' | 'fence' | 'worker'>;

/** Whether a lease is the one under which the task is currently held. */
export function holdsLease(task: Holding, lease: Lease): boolean {
  return !isTerminal(task.status) && task.fence === lease.fence && task.worker === lease.worker;
}

/**
 * With a fence only the current holder may end a task; a parked task has no holder. The fence alone cannot distinguish
 * holders in a database that lost commits, as after a failover: another worker may have received the same number.
 */
export function canSettle(task: Holding, outcome: SettledOutcome, by: Partial<Lease> = {}): boolean {
  const { fence, worker } = by;
  if (fence !== undefined && (task.fence !== fence || task.worker === undefined)) return false;
  if (fence !== undefined && worker !== undefined && task.worker !== worker) return false;
  return canMove(task.status, toStatus(outcome));
}

/**
 * Whether an ended task keeps its place in its queue for now, because its worker is still running it and the next task must
 * not begin.
 */
export function isAtWorkStill(
  { worker }: Pick<Task, 'worker'>,
  { isStopping = false }: Pick<Settlement, 'isStopping'>,
  fence?: number,
): boolean {
  return worker !== undefined && (fence === undefined || isStopping);
}

/** The lease that a claim grants. */
export interface LeaseDecision {
  readonly attempt: number;
  readonly fence: number;
  readonly startedAt: number;
  readonly event: EventBody;
}

/**
 * What a claim does to a task: a new fence, and a new attempt if `countsAsAttempt`, which the task carries since it was
 * queued.
 */
export function decideClaim(
  task: Pick<Task, 'attempt' | 'fence' | 'startedAt'> & { readonly countsAsAttempt: boolean },
  worker: string,
  now: number,
): LeaseDecision {
  const attempt = task.attempt + (task.countsAsAttempt ? 1 : 0);
  const fence = task.fence + 1;
  const event: EventBody = { type: 'claimed', attempt, fence, worker };
  return { attempt, fence, startedAt: task.startedAt ?? now, event };
}

const BARE = { type: 'submitted' } as const;

/** The first events of a new task: that it was submitted, and which steps are already finished. */
export function toFirstEvents({ queue }: Pick<NewTask, 'queue'>, rerun: Rerun | undefined): EventBody[] {
  const submitted = queue === undefined ? BARE : { ...BARE, isInQueue: true as const };
  if (rerun === undefined) return [submitted];
  const stepped = rerun.steps.map(({ name }) => ({ type: 'stepped', name }) as const);
  return [{ ...submitted, rerunOf: rerun.of, by: rerun.by }, ...stepped];
}

/** The events of one write, in order: buffered events happened before the step finished. */
export function toWriteEvents(change: AttemptWrite): EventBody[] {
  const stepped: EventBody[] = change.step ? [{ type: 'stepped', name: change.step.name }] : [];
  return [...(change.events ?? []), ...stepped];
}

/** The newest progress among these events. Progress without a message leaves the `statusMessage` unchanged. */
export function toProgress(events: readonly AttemptBody[] | undefined, now: number): Progress | undefined {
  const newest = events?.findLast((event) => event.type === 'progress');
  if (newest === undefined) return undefined;
  const { value, message } = newest;
  return message === undefined ? { value, at: now } : { value, message: toKeptText(message), at: now };
}

/** What answers do to a task. */
export interface AnswerDecision {
  /** Open questions that get an answer, oldest first. */
  readonly accepted: readonly { readonly key: string; readonly answer: Answer }[];
  readonly status: Status;
  readonly runAt: number;
  readonly events: readonly EventBody[];
}

/** The last answer resumes the attempt that waits for it, or queues a task that no worker holds. */
export function decideAnswer(
  task: Pick<Task, 'questions' | 'status' | 'worker' | 'runAt'>,
  given: { readonly answers: Readonly<Record<string, Answer>>; readonly by?: Actor | undefined },
  now: number,
): AnswerDecision {
  const { answers, by } = given;
  const open = task.questions.filter(isOpen);
  const accepted = open.flatMap(({ key }) => {
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
    return answer ? [{ key, answer }] : [];
  });
  const events: EventBody[] = accepted.map(({ key, answer }) => ({
    type: 'answered',
    key,
    answer,
    ...(by && { by }),
  }));
  if (accepted.length === 0 || accepted.length < open.length) {
    return { accepted, status: task.status, runAt: task.runAt, events };
  }
  if (task.worker !== undefined) return { accepted, status: 'working', runAt: task.runAt, events };
  const runAt = Math.max(now, task.runAt);
  return { accepted, status: 'queued', runAt, events: [...events, { type: 'requeued', reason: 'answered', runAt }] };
}

/** Whether the newest event already records a takeover by the same actor. */
export function isSameTakeover(newest: EventBody, by: Actor): boolean {
  return newest.type === 'taken-over' && toCanonicalJson(newest.by) === toCanonicalJson(by);
}

/** Where a task goes when its lease ends before its work does. */
export interface Unleased {
  readonly status: 'queued' | 'input_required';
  readonly runAt: number;
  /** Whether the next claim counts as a new attempt. */
  readonly countsAsAttempt: boolean;
  /** Whether the task was at work when its worker was lost. */
  readonly isLoss?: true;
  readonly event: EventBody;
}

/** Returns `undefined` for `park` when no question is open any more. */
export function decideRelease(
  openQuestions: number,
  release: Exclude<Release, { readonly how: 'leave-queue' | 'stopped' }>,
  now: number,
): Unleased | undefined {
  if (release.how === 'park') return openQuestions > 0 ? parked({ runAt: now, countsAsAttempt: false }) : undefined;
  if (openQuestions > 0) return parked(release);
  const { reason, runAt, countsAsAttempt } = release;
  return { status: 'queued', runAt, countsAsAttempt, event: { type: 'requeued', reason, runAt } };
}

/** What happens to a task whose worker was lost. */
export type RecoveryDecision =
  | { readonly kind: 'unleased'; readonly to: Unleased }
  | { readonly kind: 'ended'; readonly outcome: SettledOutcome };

/** A task of a dead worker. */
export type Lost = Pick<Task, 'idempotent' | 'attempt' | 'maxAttempts'> & {
  readonly losses: number;
  readonly openQuestions: number;
};

/** How many of the worker's tasks were at work, so that any of them could have crashed it. */
export function countAtWork(tasks: readonly Pick<Lost, 'openQuestions'>[]): number {
  return tasks.filter(({ openQuestions }) => openQuestions === 0).length;
}

/**
 * What happens to one task of a dead worker. Waiting for an answer costs no attempt, so it needs none left.
 *
 * A loss that only one task can have caused is charged to it. A loss that several may have caused is charged to none, but
 * only a limited number of times: workers that are killed from outside one after another must not requeue a task forever.
 */
export function decideRecovery(
  task: Lost,
  dead: Pick<DeadWorker, 'reason' | 'details' | 'delaysMs'> & { readonly atWork: number },
  now: number,
): RecoveryDecision {
  const { attempt, maxAttempts, losses } = task;
  if (!task.idempotent) return interrupted(dead, 'this work may not be repeated');
  if (task.openQuestions > 0) return { kind: 'unleased', to: parked({ runAt: now, countsAsAttempt: false }) };
  const countsAsAttempt = dead.atWork <= 1 || losses >= MAX_SHARED_LOSSES;
  if (countsAsAttempt && attempt >= maxAttempts) return interrupted(dead, `no attempt left of ${maxAttempts}`);
  const runAt = now + toDelayMs(dead, attempt);
  const event: EventBody = { type: 'requeued', reason: countsAsAttempt ? 'worker-lost' : 'suspect', runAt };
  return { kind: 'unleased', to: { status: 'queued', runAt, countsAsAttempt, isLoss: true, event } };
}

function toDelayMs({ delaysMs }: Pick<DeadWorker, 'delaysMs'>, attempt: number): number {
  return delaysMs[Math.max(0, attempt - 1)] ?? delaysMs.at(-1) ?? 0;
}

/** When the first attempt of a new task must have begun. */
export function toStartBy({ startWithinMs }: { startWithinMs?: number | undefined }, now: number): number | undefined {
  return startWithinMs === undefined ? undefined : now + startWithinMs;
}

/** Whether it is too late for the first attempt to begin. A task that has begun has no `startBy`. */
export function isLate({ startBy }: Pick<Task, 'startBy'>, now: number): boolean {
  return startBy !== undefined && startBy <= now;
}

/** The outcome of a task for which `isLate` holds. */
export function toLateOutcome({ startBy, createdAt }: { startBy: number; createdAt: number }): SettledOutcome {
  const message = `expired: not started in time (startWithinMs was ${startBy - createdAt})`;
  return { kind: 'error', error: { code: 'NOT_STARTED' satisfies TaskErrorCode, message } };
}

/** The fields of an ended task; open questions and the lease are removed. */
export interface Settled {
  readonly status: Status;
  readonly statusMessage: string | undefined;
  readonly endedAt: number;
  readonly expiresAt: number | undefined;
  readonly event: EventBody;
}

/** What an outcome does to a task, and when the task expires. */
export function decideEnd(
  task: Pick<Task, 'ttlMs'>,
  { outcome, by }: Pick<Settlement, 'outcome' | 'by'>,
  now: number,
): Settled {
  const status = toStatus(outcome);
  const message = toStatusMessage(outcome);
  const event: EventBody = {
    type: 'ended',
    status,
    outcome: outcome.kind,
    ...(message !== undefined && { message }),
    ...(by && { by }),
  };
  const statusMessage = message === undefined ? undefined : toKeptText(message);
  return { status, statusMessage, endedAt: now, expiresAt: toExpiry(now, task.ttlMs), event };
}

/** Messages come from tools, so no store may fail on them: characters that not every database can store are replaced. */
function toKeptText(message: string): string {
  return message.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

function parked(next: { readonly runAt: number; readonly countsAsAttempt: boolean }): Unleased {
  return {
    status: 'input_required',
    runAt: next.runAt,
    countsAsAttempt: next.countsAsAttempt,
    event: { type: 'parked' },
  };
}

function interrupted({ reason, details }: Pick<DeadWorker, 'reason' | 'details'>, why: string): RecoveryDecision {
  const outcome = { kind: 'interrupted', reason: `${reason}; ${why}` } as const;
  return { kind: 'ended', outcome: details === undefined ? outcome : { ...outcome, details } };
}
