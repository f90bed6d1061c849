/** The record of tasks. Every verb is one atomic transaction that includes its events. */

import type { Redaction } from '../../codec/redaction.ts';
import type { Actor } from '../../task/actor.ts';
import type { AttemptBody, TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { SettledOutcome } from '../../task/outcome.ts';
import type { Answer, QuestionRequest } from '../../task/question.ts';
import type { NewTask, Task } from '../../task/record.ts';
import type { Status } from '../../task/status.ts';
import type { NewHold } from './hold-contract.ts';

/** The right to run one task while `worker` keeps its heart beating and `fence` is current. */
export interface Lease {
  readonly taskId: string;
  readonly fence: number;
  readonly worker: string;
}

/** Which task is ended, and by which lease, if by one. */
export interface SettleTarget {
  readonly taskId: string;
  readonly fence?: number;
  /** Of the lease; without it the fence alone decides. */
  readonly worker?: string;
}

/** The record of all tasks: every verb is one transaction that includes its events. */
export interface TaskStore {
  /**
   * Writes a new task (`queued`, event `submitted`).
   *
   * A task with the same idempotency key (per principal, identity and tool) or the same alias (per principal and
   * identity), tombstones included, is joined when tool and arguments are equal, else it is a conflict. Joining
   * never counts against the queue limit.
   *
   * With `hold` the task is held from the start. When nothing joins by key or alias, the newest held task of the
   * identity with the same hold key that nobody waits for is joined instead, and is waited for from then on; one that was
   * cancelled or has expired is not. A task that has not ended keeps who took it over (event `taken-over`), unless the newest event
   * says the same or the principal has used up its bytes: who calls in a loop must not fill the store.
   *
   * `share` is what the task's principal may take. Joining never counts against it, and neither does work under way:
   * only a new task is refused.
   */
  create(task: NewTask, options: CreateOptions): Promise<CreateResult>;

  get(ref: TaskRef): Promise<Task | undefined>;

  /** Newest first. `cursor` is what the page before returned. */
  list(filter: TaskFilter): Promise<TaskPage>;

  /**
   * Leases runnable tasks of one identity to a worker: `working`, fence +1, attempt +1 unless the task is taken up
   * again after parking or hand-back, event `claimed`; `startedAt` is set once. Yields nothing when the worker is not
   * registered as `ready`.
   *
   * Principals take turns: one task each, beginning with the one that was served longest ago (ties: by name, in bytes),
   * until the slots or the tasks run out. A principal's own tasks come oldest `runAt` first (ties: oldest task first),
   * whichever their tool. What it costs depends on the slots and not on how many tasks or principals wait.
   *
   * Of the tasks of a queue only the first is runnable. It is the first until it has left the queue, whether it is
   * leased, waits for its time or is parked; then the oldest of the others is. A task leaves its queue when it ends; one
   * that is ended while a worker holds it leaves only when that worker has stopped its work (`release` with
   * `leave-queue`, or `settle` by the worker without `isStopping`), or is gone. A task that is adopted joins the queue of
   * its new identity.
   */
  claim(request: ClaimRequest): Promise<Claimed[]>;

  /**
   * Whether a lease is the current one, as of the newest commit of any process. One indexed read: it is asked right before
   * anything begins that cannot be taken back.
   */
  holds(lease: Lease): Promise<boolean>;

  /**
   * Appends high-rate events and keeps the newest progress on the record (`progress`, and its message as
   * `statusMessage`); a step is stored with event `stepped`. `false` when the lease is lost.
   */
  write(lease: Lease, change: AttemptWrite): Promise<boolean>;

  /** Opens a question: `input_required`, event `asked`. A key that exists already changes nothing. `false` when the lease is lost. */
  ask(lease: Lease, question: { readonly key: string; readonly request: QuestionRequest }): Promise<boolean>;

  /**
   * Records answers to open questions; other keys are left out of `accepted`. The last answer moves the task to
   * `working` when a worker still holds it, else to `queued` (event `requeued`, reason `answered`).
   * `undefined` when there is no such task. The events tell who answered.
   */
  answer(taskId: string, answers: Readonly<Record<string, Answer>>, by?: Actor): Promise<AnswerResult | undefined>;

  /**
   * Gives a lease back. With open questions the task stays `input_required` (event `parked`), otherwise it is
   * `queued` (event `requeued`). `park` changes nothing and returns `false` when no question is open any more.
   * `leave-queue` is for the last lease of a task that has ended: `false` when it stands in no queue any more.
   * `stopped` is for the last lease of a task that was cancelled: the note is added to its outcome, once, and no event is
   * written. `false` when it ended otherwise, has one already, or has expired.
   */
  release(lease: Lease, how: Release): Promise<boolean>;

  /**
   * Ends a task: outcome, times, event `ended`, an outbox message for each of its deliveries, open questions
   * withdrawn. With a lease only its holder can; with just the id anybody can (cancel), so do not pass a whole task for
   * that. `false` when it had ended or the lease is not the current one.
   */
  settle(target: SettleTarget, settlement: Settlement): Promise<boolean>;

  /**
   * Takes everything from a dead worker and removes it from the registry. Its process groups stay on record, as orphans.
   *
   * Tasks that may be run again are queued after the delay for their attempt; with an open question they stay
   * `input_required`, which costs no attempt. The rest end as `interrupted`, as do those out of attempts.
   *
   * A task without an open question was at work. If it was the only one, it is charged: the attempt is spent (event
   * `requeued`, reason `worker-lost`). If there were several, those that may be run again are suspects: no attempt is
   * spent (reason `suspect`), up to `MAX_SHARED_LOSSES` times for a task. Either way `losses` rises by one; it goes when
   * the task ends.
   *
   * `undefined`, and nothing changes, when the worker has beaten again since `until` was read, or is gone.
   */
  recover(dead: DeadWorker): Promise<Recovered[] | undefined>;

  /**
   * Turns finished tasks whose time is up into tombstones (not while an outbox message of theirs is
   * undelivered), forgets old tombstones, trims high-rate events. At most `limit` tasks of each kind. Forgets process
   * groups that have been orphans for `ORPHAN_KEEP_MS`, too. The one verb that may take several transactions: each task is
   * swept whole, and a failure leaves the rest for the next sweep.
   */
  sweep(request: SweepRequest): Promise<Swept>;

  /** Events with `seq > afterSeq`, in order, at most `limit`. Numbers missing in between were trimmed. */
  events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]>;

  /** Values of the finished steps of a task, by name; none once it has expired. */
  steps(taskId: string): Promise<Readonly<Record<string, Json>>>;

  /** Run times of the last successful runs of a tool for one principal, at most 20, in ms. */
  durations(identity: string, tool: string, principal: string): Promise<number[]>;

  /** How much work of an identity is waiting or under way. */
  backlog(identity: string): Promise<Backlog>;
}

/** Under which limits a task is written. */
export interface CreateOptions {
  /** How many tasks of the identity may be queued. */
  readonly queueLimit: number;
  readonly hold?: NewHold;
  /** What the principal may take. @default no limit */
  readonly share?: Share;
  /** Who takes over a held task, if one is joined. */
  readonly by?: Actor;
  /**
   * By what equal arguments are recognised, when the arguments cannot be compared because they are encoded: the first is
   * kept, and a task that was kept with any of them has equal arguments.
   */
  readonly fingerprints?: readonly string[];
  /**
   * Other names of the task's queue, when names are encoded: if there are tasks in one of them, and none in the queue
   * itself, the task joins them.
   */
  readonly queueAliases?: readonly string[];
  /** The task is another one run again: its first event says so, and the steps are finished from the start. */
  readonly rerun?: Rerun;
  /** Which arguments nobody but the tool may see; for the codec, stores need not heed it. */
  readonly redact?: Redaction | undefined;
}

/** What a task takes over from the one that it runs again. */
export interface Rerun {
  readonly of: string;
  readonly by: Actor;
  /** In their order; an event `stepped` is written for each. */
  readonly steps: readonly FinishedStep[];
}

/** A step that is over, with what it gave. */
export interface FinishedStep {
  readonly name: string;
  readonly value: Json;
}

/** The most one principal may have. */
export interface Share {
  /** Tasks of the identity that wait: in the queue, or for an answer. */
  readonly queued: number;
  /** Bytes of all its tasks in the store, whatever their identity; see `stored-bytes.ts`. */
  readonly storedBytes: number;
}

/** What became of a new task. */
export type CreateResult =
  | { readonly kind: 'created'; readonly task: Task }
  /** `tookOver`: by its hold, and not by its key or alias. */
  | { readonly kind: 'joined'; readonly task: Task; readonly tookOver?: true }
  | { readonly kind: 'conflict'; readonly on: 'idempotencyKey' | 'alias'; readonly taskId: string }
  | { readonly kind: 'full'; readonly queued: number }
  | { readonly kind: 'over-share'; readonly limit: keyof Share; readonly used: number };

/** A task by its id, or by the alias of its caller. */
export type TaskRef =
  | { readonly taskId: string }
  | { readonly alias: string; readonly principal: string; readonly identity: string };

/** Which tasks are listed. */
export interface TaskFilter {
  readonly principal?: string;
  readonly identity?: string;
  readonly tool?: string;
  readonly status?: Status;
  readonly cursor?: string;
  /** 1..1000 */
  readonly limit: number;
}

/** A part of a list of tasks, newest first; there is more while it has a cursor. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string;
}

/** What a worker that has free slots asks for. */
export interface ClaimRequest {
  readonly worker: string;
  readonly identity: string;
  /** Free slots per tool; tools not named here are not claimed. */
  readonly free: Readonly<Record<string, number>>;
  /** Free slots in all. */
  readonly max: number;
  /** How many slots may go to tasks with so many `losses` or more; those that get none keep their place. @default all */
  readonly suspects?: SuspectLimit;
  /**
   * Whether a principal may have one more task, asked before each is given. It must not wait, may be asked in vain, and
   * once it refuses, it refuses for the rest of the claim. @default it may
   */
  readonly admits?: (wish: SlotWish) => boolean;
}

/** How many tasks that have lost so many workers may be claimed. */
export interface SuspectLimit {
  readonly losses: number;
  readonly max: number;
}

/** One more slot, for one principal. */
export interface SlotWish {
  readonly principal: string;
  readonly tool: string;
  /** What this claim has given the principal so far, in all and of this tool. */
  readonly taken: number;
  readonly takenOfTool: number;
  /** Slots that are left, this one included. */
  readonly left: number;
  readonly leftOfTool: number;
}

/** A task that a worker may run now, and what earlier attempts have stored. */
export interface Claimed {
  readonly task: Task;
  /** Values of finished steps, by name. */
  readonly steps: Readonly<Record<string, Json>>;
}

/** What an attempt writes while it runs. */
export interface AttemptWrite {
  readonly events?: readonly AttemptBody[];
  readonly step?: FinishedStep;
}

/** Which answers were taken, and the task after them. */
export interface AnswerResult {
  readonly accepted: readonly string[];
  readonly task: Task;
}

/** How a worker gives back a task that has not ended. */
export type Release =
  | { readonly how: 'park' }
  /** Somebody has ended the task, and its work has stopped now. */
  | { readonly how: 'leave-queue' }
  /** Somebody has cancelled the task; this is how its work was stopped. */
  | { readonly how: 'stopped'; readonly note: string }
  | {
      readonly how: 'requeue';
      readonly reason: 'retry' | 'crashed' | 'handed-back';
      readonly runAt: number;
      /** Whether the next claim counts as a new attempt. */
      readonly countsAsAttempt: boolean;
    };

/** How an attempt ended the task. */
export interface Settlement {
  readonly outcome: SettledOutcome;
  /** Buffered high-rate events that belong before the end. */
  readonly events?: readonly AttemptBody[];
  /** Time the tool really ran, without waiting for answers; kept for estimates when the outcome is a result. */
  readonly ranMs?: number;
  /** Who ended the task, when it was not the work itself. */
  readonly by?: Actor;
  /** The work has not stopped yet, as after a time-out: its worker says with `leave-queue` when it has. */
  readonly isStopping?: boolean;
}

/** A worker that is taken to be dead, as it was seen last. */
export interface DeadWorker {
  readonly workerId: string;
  /** The `until` that was seen and has not moved since. */
  readonly until: number;
  /** Why it is taken to be dead; part of the outcome of tasks that may not be repeated. */
  readonly reason: string;
  /** What its owner may know of it besides; kept in those outcomes, and shown to no client. */
  readonly details?: string;
  /** How long a task waits for its next attempt, by the one that was lost; the last counts for all later ones. */
  readonly delaysMs: readonly number[];
}

/** A task that was taken from a dead worker, and what it is now. */
export interface Recovered {
  readonly taskId: string;
  readonly status: Status;
}

/** What can be forgotten. */
export interface SweepRequest {
  /** Finished tasks whose `expiresAt` is at or before this become tombstones. */
  readonly expiresBefore: number;
  /** Also those that ended at or before this, whatever their TTL. */
  readonly endedBefore?: number;
  /** Tombstones made at or before this are forgotten. */
  readonly tombstonesBefore: number;
  readonly limit: number;
  /** Who asked for it; tombstones keep it. */
  readonly by?: Actor;
}

/** How many tasks expired, and how many tombstones and events were removed. */
export interface Swept {
  readonly expired: number;
  readonly forgotten: number;
  readonly trimmed: number;
}

/** What is there to be done for one program. */
export interface Backlog {
  /** Tasks in the queue, due now or later. */
  readonly queued: number;
  /** Tasks some worker holds. */
  readonly leased: number;
  /** When the earliest queued task is due, of those that are the first in their queue or have none. */
  readonly nextRunAt?: number;
}
