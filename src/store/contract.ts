/**
 * Where tasks live: four small contracts and a feed of changes.
 *
 * - `TaskStore` is the record. Every verb is one atomic transaction that includes its events.
 * - `WorkerRegistry` knows who runs work, and which process groups they started.
 * - `Outbox` holds what must reach the outside.
 * - `Holds` knows which plain calls are waited for on an open line, and which can be taken up again.
 *
 * Rules that every implementation keeps:
 * 1. A promise resolves only when the change is durable.
 * 2. A write by a worker carries its lease. When the task's fence or worker has moved on, or the task has
 *    ended, the write changes nothing and the verb says so by its return value; it never throws for that.
 * 3. Terminal states are final.
 * 4. A change is announced after it is durable. Announcements are hints: readers read again by cursor.
 * 5. Two names that differ are never taken for one. A name that a store cannot keep as it is, such as one with a
 *    NUL, is refused with `INVALID_ARGUMENT`.
 */
import type { EventType, HighRateBody, TaskEvent } from '../task/event.ts';
import type { Json } from '../task/json.ts';
import type { SettledOutcome } from '../task/outcome.ts';
import type { Answer, QuestionRequest } from '../task/question.ts';
import type { NewTask, Task } from '../task/record.ts';
import type { Status } from '../task/status.ts';

export interface Store {
  readonly tasks: TaskStore;
  readonly workers: WorkerRegistry;
  readonly outbox: Outbox;
  readonly holds: Holds;
  readonly changes: Changes;
  /** How a thread can keep leases alive on its own; absent when the store lives in this thread only. */
  readonly heartbeat?: HeartbeatSource;
  /** A directory for worker logs; absent when the store has no place on disk. */
  readonly directory?: string;
  close(): Promise<void>;
}

/** The right to run one task while `worker` keeps its heart beating and `fence` is current. */
export interface Lease {
  readonly taskId: string;
  readonly fence: number;
  readonly worker: string;
}

export interface TaskStore {
  /**
   * Writes a new task (`queued`, event `submitted`).
   *
   * A task with the same idempotency key (per principal, identity and tool) or the same alias (per principal and
   * identity), tombstones included, is joined when tool and arguments are equal, else it is a conflict. Joining
   * never counts against the queue limit.
   *
   * With `hold` the task is held from the start. When nothing joins by key or alias, the newest held task with the
   * same hold key that nobody waits for is joined instead, and is waited for from then on; one that was cancelled or
   * has expired is not.
   */
  create(task: NewTask, options: { readonly queueLimit: number; readonly hold?: NewHold }): Promise<CreateResult>;

  get(ref: TaskRef): Promise<Task | undefined>;

  /** Newest first. `cursor` is what the page before returned. */
  list(filter: TaskFilter): Promise<TaskPage>;

  /**
   * Leases runnable tasks of one identity to a worker, oldest `runAt` first (ties: oldest task first): `working`, fence +1, attempt +1
   * unless the task is taken up again after parking or hand-back, event `claimed`; `startedAt` is set once.
   * Yields nothing when the worker is not registered as `ready`.
   */
  claim(request: ClaimRequest): Promise<Claimed[]>;

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
   * `undefined` when there is no such task.
   */
  answer(taskId: string, answers: Readonly<Record<string, Answer>>): Promise<AnswerResult | undefined>;

  /**
   * Gives a lease back. With open questions the task stays `input_required` (event `parked`), otherwise it is
   * `queued` (event `requeued`). `park` changes nothing and returns `false` when no question is open any more.
   */
  release(lease: Lease, how: Release): Promise<boolean>;

  /**
   * Ends a task: outcome, times, event `ended`, an outbox message for each of its deliveries, open questions
   * withdrawn. With a fence only its holder can; without one anybody can (cancel), so pass just the id for that and
   * not a whole task. `false` when it had ended or the fence is old.
   */
  settle(target: { readonly taskId: string; readonly fence?: number }, settlement: Settlement): Promise<boolean>;

  /**
   * Takes everything from a dead worker and removes it from the registry, with its tracked process groups.
   *
   * Tasks that may be run again are queued after `toDelayMs(attempt)`; with an open question they stay
   * `input_required`, which costs no attempt. The rest end as `interrupted`, as do those out of attempts.
   * `undefined`, and nothing changes, when the worker has beaten again since `until` was read, or is gone.
   */
  recover(dead: DeadWorker): Promise<Recovered[] | undefined>;

  /**
   * Turns finished tasks whose time is up into tombstones (not while an outbox message of theirs is
   * undelivered), forgets old tombstones, trims high-rate events. At most `limit` tasks of each kind. The one verb
   * that may take several transactions: each task is swept whole, and a failure leaves the rest for the next sweep.
   */
  sweep(request: SweepRequest): Promise<Swept>;

  /** Events with `seq > afterSeq`, in order, at most `limit`. Numbers missing in between were trimmed. */
  events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]>;

  /** Run times of the last successful runs of a tool, at most 20, in ms. */
  durations(identity: string, tool: string): Promise<number[]>;

  /** How much work of an identity is waiting or under way. */
  backlog(identity: string): Promise<Backlog>;
}

export type CreateResult =
  | { readonly kind: 'created'; readonly task: Task }
  | { readonly kind: 'joined'; readonly task: Task }
  | { readonly kind: 'conflict'; readonly on: 'idempotencyKey' | 'alias'; readonly taskId: string }
  | { readonly kind: 'full'; readonly queued: number };

export type TaskRef =
  | { readonly taskId: string }
  | { readonly alias: string; readonly principal: string; readonly identity: string };

export interface TaskFilter {
  readonly principal?: string;
  readonly identity?: string;
  readonly tool?: string;
  readonly status?: Status;
  readonly cursor?: string;
  /** 1..1000 */
  readonly limit: number;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string;
}

export interface ClaimRequest {
  readonly worker: string;
  readonly identity: string;
  /** Free slots per tool; tools not named here are not claimed. */
  readonly free: Readonly<Record<string, number>>;
  /** Free slots in all. */
  readonly max: number;
}

export interface Claimed {
  readonly task: Task;
  /** Values of finished steps, by name. */
  readonly steps: Readonly<Record<string, Json>>;
}

export interface AttemptWrite {
  readonly events?: readonly HighRateBody[];
  readonly step?: { readonly name: string; readonly value: Json };
}

export interface AnswerResult {
  readonly accepted: readonly string[];
  readonly task: Task;
}

export type Release =
  | { readonly how: 'park' }
  | {
      readonly how: 'requeue';
      readonly reason: 'retry' | 'handed-back';
      readonly runAt: number;
      /** Whether the next claim counts as a new attempt. */
      readonly spend: boolean;
    };

export interface Settlement {
  readonly outcome: SettledOutcome;
  /** Buffered high-rate events that belong before the end. */
  readonly events?: readonly HighRateBody[];
  /** Time the tool really ran, without waiting for answers; kept for estimates when the outcome is a result. */
  readonly ranMs?: number;
}

export interface DeadWorker {
  readonly workerId: string;
  /** The `until` that was seen and has not moved since. */
  readonly until: number;
  /** Why it is taken to be dead; part of the outcome of tasks that may not be repeated. */
  readonly reason: string;
  readonly toDelayMs: (attempt: number) => number;
}

export interface Recovered {
  readonly taskId: string;
  readonly status: Status;
}

export interface SweepRequest {
  /** Finished tasks whose `expiresAt` is at or before this become tombstones. */
  readonly expiresBefore: number;
  /** Also those that ended at or before this, whatever their TTL. */
  readonly endedBefore?: number;
  /** Tombstones made at or before this are forgotten. */
  readonly tombstonesBefore: number;
  readonly limit: number;
}

export interface Swept {
  readonly expired: number;
  readonly forgotten: number;
  readonly trimmed: number;
}

export interface Backlog {
  /** Tasks in the queue, due now or later. */
  readonly queued: number;
  /** Tasks some worker holds. */
  readonly leased: number;
  /** When the earliest queued task is due. */
  readonly nextRunAt?: number;
}

export interface WorkerRegistry {
  /**
   * Keeps the place of the one detached worker of an identity before it is spawned (`starting`). A worker of the
   * same or a newer build stays; one of an older build is set to `draining` and the place is given.
   */
  reserve(worker: NewWorker): Promise<ReserveResult>;

  /**
   * Makes a worker `ready`. An inline one is added; a detached one must have its reservation, and `false` says
   * that it is gone.
   */
  register(worker: NewWorker & { readonly process: ProcessRef }): Promise<boolean>;

  /** One heartbeat. Returns the worker's state, or `undefined` when it has been removed. */
  renew(workerId: string, leaseMs: number): Promise<WorkerState | undefined>;

  /**
   * Removes a worker that holds no lease; with `ifIdle` only when its identity has nothing queued either.
   * A draining worker never waits for the queue.
   */
  retire(workerId: string, options: { readonly ifIdle: boolean }): Promise<boolean>;

  list(identity?: string): Promise<WorkerInfo[]>;

  /**
   * Remembers a process group before its program starts, so that whoever recovers the worker can end it. One of the
   * same worker and pid takes the place of the one before.
   */
  track(group: ProcessGroupRef): Promise<void>;
  untrack(workerId: string, pid: number): Promise<void>;
  groups(workerId: string): Promise<ProcessGroupRef[]>;
}

export type WorkerKind = 'inline' | 'detached';
export type WorkerState = 'starting' | 'ready' | 'draining';

/** Which version of a program a worker runs. */
export interface Build {
  readonly id: string;
  /** Later builds replace earlier ones. */
  readonly at: number;
}

/** A process that can be told from a later one with the same pid. */
export interface ProcessRef {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
}

export interface NewWorker {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly build: Build;
  readonly leaseMs: number;
}

export interface WorkerInfo {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly state: WorkerState;
  readonly build: Build;
  /** Set once the worker has registered. */
  readonly process?: ProcessRef;
  /** Moves with every heartbeat. */
  readonly until: number;
}

export type ReserveResult = { readonly kind: 'reserved' } | { readonly kind: 'exists'; readonly worker: WorkerInfo };

export interface ProcessGroupRef extends ProcessRef {
  readonly workerId: string;
  readonly taskId: string;
}

export interface Outbox {
  /** Takes due messages for these topics; others do not get them until `holdMs` has passed. */
  take(request: {
    readonly topics: readonly string[];
    readonly max: number;
    readonly holdMs: number;
  }): Promise<OutboxTake>;
  /** The message has reached the outside. */
  done(messageId: string): Promise<void>;
  /** It has not; try again at `dueAt`. */
  postpone(messageId: string, dueAt: number): Promise<void>;
}

export interface OutboxMessage {
  /** The same on every delivery of this message, so that a receiver can show it once. */
  readonly messageId: string;
  readonly topic: string;
  readonly data?: Json;
  readonly task: Task;
  /** Deliveries begun, this one included. */
  readonly tries: number;
}

export interface OutboxTake {
  readonly messages: readonly OutboxMessage[];
  /** When the next message for these topics is due. */
  readonly nextDueAt?: number;
}

/**
 * Tasks behind plain calls that somebody keeps a line open for.
 *
 * A held task is waited for by one holder, or by nobody: then it has been left, and is to be cancelled at a time, or it
 * was handed over, and lives like any task. It stops being held when its result has been answered, or with its expiry.
 */
export interface Holds {
  /** Makes `by` the one who waits. False when somebody else does, or the task is not held. */
  attend(taskId: string, by: string): Promise<boolean>;
  /** `by` waits no longer. Handed over is for good: later releases set no time to cancel. False when it did not wait. */
  release(taskId: string, by: string, how: HoldRelease): Promise<boolean>;
  /** The task is not held any more. */
  remove(taskId: string): Promise<void>;
  /** All that are waited for or to be cancelled; with `key` only those that ask for that. */
  list(key?: string): Promise<Hold[]>;
}

export interface NewHold {
  /** Calls with the same key ask for the same thing. */
  readonly key: string;
  /** Who waits. */
  readonly by: string;
  /** How long it lives when whoever waits for it is lost. */
  readonly graceMs: number;
}

export type HoldRelease = { readonly how: 'hand-over' } | { readonly how: 'leave'; readonly graceMs: number };

export interface Hold {
  readonly taskId: string;
  /** Who waits, if anybody. */
  readonly by?: string;
  readonly graceMs: number;
  /** When it is to be cancelled, if nobody takes it up. */
  readonly cancelAt?: number;
}

/** A lifecycle or high-rate event happened, in this process or another one. */
export interface Change {
  readonly taskId: string;
  readonly type: EventType;
}

export interface Changes {
  /**
   * Calls back after every durable change until the returned function is called. A listener that throws keeps
   * nothing from the others.
   */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
}

/** Loaded by the heartbeat thread: `module` exports `openHeartbeat(options): Heartbeat`. */
export interface HeartbeatSource {
  readonly module: string;
  readonly options: Json;
}

export interface Heartbeat {
  /** As `WorkerRegistry.renew`; throws when the store cannot be written right now. */
  renew(workerId: string, leaseMs: number): WorkerState | undefined;
  close(): void;
}
