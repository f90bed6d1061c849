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

/** The right to run one task, as long as `worker` sends heartbeats and `fence` is current. */
export interface Lease {
  readonly taskId: string;
  readonly fence: number;
  readonly worker: string;
}

/** Which task to end, and under which lease, if under one. */
export interface SettleTarget {
  readonly taskId: string;
  readonly fence?: number;
  /** The worker of the lease; without it only the fence is checked. */
  readonly worker?: string;
}

/** The record of all tasks: every verb is one transaction that includes its events. */
export interface TaskStore {
  /**
   * Writes a new task (`queued`, event `submitted`).
   *
   * If a task (or tombstone) with the same idempotency key (per principal, identity and tool) or the same alias (per
   * principal and identity) exists, the call joins it when tool and arguments are equal; otherwise it is a conflict. Joining
   * never counts against the queue limit.
   *
   * With `hold` the task is held from the start. When no task matches by key or alias, the call joins the newest held task
   * of the identity that has the same hold key and no holder, and becomes its holder; cancelled and expired tasks are
   * skipped. A task that has not ended records who took it over (event `taken-over`), unless its newest event already says
   * so or the principal has used up its bytes: a client that calls in a loop must not fill the store.
   *
   * `share` limits the task's principal. Joining never counts against it, and it never stops work that has begun: only new
   * tasks are refused.
   */
  create(task: NewTask, options: CreateOptions): Promise<CreateResult>;

  get(ref: TaskRef): Promise<Task | undefined>;

  /** Lists tasks, newest first. `cursor` is the `nextCursor` of the page before. */
  list(filter: TaskFilter): Promise<TaskPage>;

  /**
   * Leases runnable tasks of one identity to a worker: `working`, fence +1, attempt +1 unless the task continues after
   * parking or hand-back, event `claimed`; `startedAt` is set once. Returns nothing when the worker is not registered as
   * `ready`.
   *
   * Principals take turns: one task each, starting with the principal that was served longest ago (ties: by name, in bytes),
   * until the slots or the tasks run out. Within a principal, the oldest `runAt` comes first (ties: oldest task first),
   * regardless of the tool. The cost must depend on the slots, not on how many tasks or principals wait.
   *
   * Only the first task of a queue is runnable. It stays first until it leaves the queue, whether it is leased, waits for
   * its `runAt` or is parked; then the oldest of the others becomes first. A task leaves its queue when it ends. A task that
   * is ended while a worker holds it leaves only when that worker has stopped the work (`release` with `leave-queue`, or
   * `settle` by the worker without `isStopping`), or is gone. An adopted task joins the queue of its new identity.
   */
  claim(request: ClaimRequest): Promise<Claimed[]>;

  /**
   * Whether a lease is current, as of the newest commit of any process. Must be one indexed read: it runs right before every
   * irreversible action.
   */
  holds(lease: Lease): Promise<boolean>;

  /**
   * Appends high-rate events and stores the newest progress on the record (`progress`, and its message as `statusMessage`);
   * a step is stored with event `stepped`. `false` when the lease is lost.
   */
  write(lease: Lease, change: AttemptWrite): Promise<boolean>;

  /** Opens a question: `input_required`, event `asked`. An existing key changes nothing. `false` when the lease is lost. */
  ask(lease: Lease, question: { readonly key: string; readonly request: QuestionRequest }): Promise<boolean>;

  /**
   * Records answers to open questions; keys without an open question are ignored and missing from `accepted`. The last
   * answer moves the task to `working` when a worker still holds it, else to `queued` (event `requeued`, reason `answered`).
   * The events name `by`. `undefined` when there is no such task.
   */
  answer(taskId: string, answers: Readonly<Record<string, Answer>>, by?: Actor): Promise<AnswerResult | undefined>;

  /**
   * Gives a lease back. With open questions the task stays `input_required` (event `parked`), otherwise it becomes `queued`
   * (event `requeued`). `park` changes nothing and returns `false` when no question is open any more. `leave-queue` is for
   * the last lease of a task that has ended: `false` when the task is in no queue any more. `stopped` is for the last lease
   * of a cancelled task: it adds the note to the outcome, once, without an event. `false` when the task ended otherwise,
   * already has a note, or has expired.
   */
  release(lease: Lease, how: Release): Promise<boolean>;

  /**
   * Ends a task: outcome, times, event `ended`, one outbox message per delivery; open questions are withdrawn. With a lease,
   * only its holder can end the task; with just the id, any caller can (cancel), so do not pass a whole task as the target.
   * `false` when the task had ended or the lease is not current.
   */
  settle(target: SettleTarget, settlement: Settlement): Promise<boolean>;

  /**
   * Takes all tasks from a dead worker and removes it from the registry. Its process groups stay on record, as orphans.
   *
   * Tasks that may be repeated are queued after the delay for their attempt; with an open question they stay
   * `input_required`, which costs no attempt. All others end as `interrupted`, as do tasks with no attempt left.
   *
   * A task without an open question was at work. If it was the only one, it is charged with the loss: the attempt is spent
   * (event `requeued`, reason `worker-lost`). If there were several, those that may be repeated become suspects: no attempt
   * is spent (reason `suspect`), up to `MAX_SHARED_LOSSES` times per task. Either way `losses` rises by one; it is dropped
   * when the task ends.
   *
   * Returns `undefined` and changes nothing when the worker has sent a heartbeat since `until` was read, or is gone.
   */
  recover(dead: DeadWorker): Promise<Recovered[] | undefined>;

  /**
   * Turns finished tasks that have expired into tombstones (not while an outbox message of the task is undelivered), deletes
   * old tombstones and trims high-rate events: at most `limit` tasks of each kind. Also deletes process groups that have
   * been orphans for `ORPHAN_KEEP_MS`. The only verb that may use several transactions: each task is swept in one, and a
   * failure leaves the remaining tasks to the next sweep.
   */
  sweep(request: SweepRequest): Promise<Swept>;

  /** Returns events with `seq > afterSeq`, in order, at most `limit`. Missing numbers were trimmed. */
  events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]>;

  /** Returns the values of the finished steps of a task, by name; none once the task has expired. */
  steps(taskId: string): Promise<Readonly<Record<string, Json>>>;

  /** Returns the run times in ms of the last successful runs of a tool for one principal, at most 20. */
  durations(identity: string, tool: string, principal: string): Promise<number[]>;

  /** Returns how much work of an identity is queued or leased. */
  backlog(identity: string): Promise<Backlog>;
}

/** The limits and options under which a task is created. */
export interface CreateOptions {
  /** How many tasks of the identity may be queued. */
  readonly queueLimit: number;
  readonly hold?: NewHold;
  /** The limits of the task's principal. @default no limit */
  readonly share?: Share;
  /** Who takes over the held task, if the call joins one. */
  readonly by?: Actor;
  /**
   * Fingerprints by which equal arguments are recognised when encoding prevents comparing them. The first is stored; a task
   * stored with any of them has equal arguments.
   */
  readonly fingerprints?: readonly string[];
  /**
   * Other names of the task's queue, when names are encoded: if one of them has tasks and the queue itself has none, the
   * task joins that one.
   */
  readonly queueAliases?: readonly string[];
  /** Set when the task is a rerun of another: its first event says so, and these steps are finished from the start. */
  readonly rerun?: Rerun;
  /** Which arguments only the tool may see. Used by the codec; stores can ignore it. */
  readonly redact?: Redaction | undefined;
}

/** What a rerun copies from the original task. */
export interface Rerun {
  readonly of: string;
  readonly by: Actor;
  /** In their original order; an event `stepped` is written for each. */
  readonly steps: readonly FinishedStep[];
}

/** A finished step and its value. */
export interface FinishedStep {
  readonly name: string;
  readonly value: Json;
}

/** The limits of one principal. */
export interface Share {
  /** How many tasks of the identity may wait, either queued or for an answer. */
  readonly queued: number;
  /** How many bytes all tasks of the principal may use in the store, across identities; see `stored-bytes.ts`. */
  readonly storedBytes: number;
}

/** The result of creating a task. */
export type CreateResult =
  | { readonly kind: 'created'; readonly task: Task }
  /** `tookOver`: joined by its hold, not by its key or alias. */
  | { readonly kind: 'joined'; readonly task: Task; readonly tookOver?: true }
  | { readonly kind: 'conflict'; readonly on: 'idempotencyKey' | 'alias'; readonly taskId: string }
  | { readonly kind: 'full'; readonly queued: number }
  | { readonly kind: 'over-share'; readonly limit: keyof Share; readonly used: number };

/** A task by its id, or by the alias its caller gave it. */
export type TaskRef =
  | { readonly taskId: string }
  | { readonly alias: string; readonly principal: string; readonly identity: string };

/** Which tasks to list. */
export interface TaskFilter {
  readonly principal?: string;
  readonly identity?: string;
  readonly tool?: string;
  readonly status?: Status;
  readonly cursor?: string;
  /** 1..1000 */
  readonly limit: number;
}

/** One page of tasks, newest first; there is another page while `nextCursor` is set. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string;
}

/** What a worker with free slots asks for. */
export interface ClaimRequest {
  readonly worker: string;
  readonly identity: string;
  /** Free slots per tool; tools not named here are not claimed. */
  readonly free: Readonly<Record<string, number>>;
  /** Free slots in total. */
  readonly max: number;
  /**
   * How many slots may go to tasks with at least this many `losses`; tasks that get no slot keep their position.
   * @default all
   */
  readonly suspects?: SuspectLimit;
  /**
   * Whether a principal may have one more task, called before each task is given. It must not wait, may be called without a
   * task being given, and once it has refused a wish it must refuse it for the rest of the claim.
   * @default always
   */
  readonly admits?: (wish: SlotWish) => boolean;
}

/** How many tasks with at least this many `losses` may be claimed. */
export interface SuspectLimit {
  readonly losses: number;
  readonly max: number;
}

/** A request for one more slot, for one principal. */
export interface SlotWish {
  readonly principal: string;
  readonly tool: string;
  /** How many tasks this claim has given the principal so far: in total, and of this tool. */
  readonly taken: number;
  readonly takenOfTool: number;
  /** How many slots remain, including this one. */
  readonly left: number;
  readonly leftOfTool: number;
}

/** A task that a worker has leased, and what earlier attempts have stored. */
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

/** Which answers were accepted, and the updated task. */
export interface AnswerResult {
  readonly accepted: readonly string[];
  readonly task: Task;
}

/** How a worker gives a task back, or reports that the work of an ended task has stopped. */
export type Release =
  | { readonly how: 'park' }
  /** The task was ended from outside, and its work has stopped now. */
  | { readonly how: 'leave-queue' }
  /** The task was cancelled; the note says how its work was stopped. */
  | { readonly how: 'stopped'; readonly note: string }
  | {
      readonly how: 'requeue';
      readonly reason: 'retry' | 'crashed' | 'handed-back';
      readonly runAt: number;
      /** Whether the next claim counts as a new attempt. */
      readonly countsAsAttempt: boolean;
    };

/** How a task ends. */
export interface Settlement {
  readonly outcome: SettledOutcome;
  /** Buffered high-rate events, written before the `ended` event. */
  readonly events?: readonly AttemptBody[];
  /** How long the tool ran, without the time spent waiting for answers; used for estimates when the outcome is a result. */
  readonly ranMs?: number;
  /** Who ended the task, when it was not its own work. */
  readonly by?: Actor;
  /** The work has not stopped yet, as after a timeout; its worker reports the end with `leave-queue`. */
  readonly isStopping?: boolean;
}

/** A worker that is considered dead, as last seen. */
export interface DeadWorker {
  readonly workerId: string;
  /** The `until` that was read and has not changed since. */
  readonly until: number;
  /** Why it is considered dead; part of the outcome of tasks that may not be repeated. */
  readonly reason: string;
  /** Further details for the owner; stored in those outcomes and shown to no client. */
  readonly details?: string;
  /** How long a task waits for its next attempt, indexed by the lost attempt; the last delay applies to all later attempts. */
  readonly delaysMs: readonly number[];
}

/** A task that was taken from a dead worker, and its new status. */
export interface Recovered {
  readonly taskId: string;
  readonly status: Status;
}

/** What a sweep may remove. */
export interface SweepRequest {
  /** Finished tasks whose `expiresAt` is at or before this become tombstones. */
  readonly expiresBefore: number;
  /** Tasks that ended at or before this become tombstones too, regardless of their TTL. */
  readonly endedBefore?: number;
  /** Tombstones made at or before this are deleted. */
  readonly tombstonesBefore: number;
  readonly limit: number;
  /** Who requested the sweep; recorded in the tombstones. */
  readonly by?: Actor;
}

/** How many tasks expired, and how many tombstones and events were removed. */
export interface Swept {
  readonly expired: number;
  readonly forgotten: number;
  readonly trimmed: number;
}

/** How much work there is for one program. */
export interface Backlog {
  /** How many tasks are queued, due now or later. */
  readonly queued: number;
  /** How many tasks are held by a worker. */
  readonly leased: number;
  /** When the earliest queued task is due, counting only tasks that are first in their queue or in none. */
  readonly nextRunAt?: number;
}
