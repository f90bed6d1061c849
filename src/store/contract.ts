/**
 * The contract of a store: eight small contracts and a feed of changes.
 *
 * - `TaskStore` holds the tasks. Every verb is one atomic transaction that includes its events.
 * - `Artifacts` holds parts of results that are too large for a response.
 * - `WorkerRegistry` holds the workers, and the process groups they started.
 * - `Outbox` holds messages that must be delivered outside the store.
 * - `Holds` records which plain calls a server keeps open, and which of them can be taken up again.
 * - `Sessions` records which sessions of HTTP clients have ended.
 * - `Deadlines` fails tasks that were not started in time.
 * - `Programs` records which programs serve the store, and moves tasks from a program that is gone to another.
 *
 * Rules for every implementation:
 * 1. A promise resolves only when the change is durable.
 * 2. A write by a worker carries its lease. When the task has a newer fence or another worker, or has ended, the write
 *    changes nothing and the verb reports that by its return value; it never throws for that.
 * 3. Terminal states are final.
 * 4. A change is announced after it is durable. Announcements are hints: readers read again by cursor.
 * 5. All times are those of `time()`, never a process's wall clock: wall clocks may differ and be changed.
 * 6. Two different names never match each other. A name that a store cannot keep unchanged, such as one with a NUL, is
 *    rejected with `INVALID_ARGUMENT`.
 */
import type { EventType } from '../task/event.ts';
import type { Json } from '../task/json.ts';
import type { Artifacts } from './contracts/artifact-contract.ts';
import type { Deadlines } from './contracts/deadline-contract.ts';
import type { Holds } from './contracts/hold-contract.ts';
import type { Outbox } from './contracts/outbox-contract.ts';
import type { Programs } from './contracts/program-contract.ts';
import type { StoreSecrets } from './contracts/secret-contract.ts';
import type { Sessions } from './contracts/session-contract.ts';
import type { TaskStore } from './contracts/task-contract.ts';
import type { WorkerRegistry, WorkerState } from './contracts/worker-contract.ts';
import type { StoreTime } from './store-clock.ts';

/** All state of an engine: the contract that every store implements. */
export interface Store {
  readonly tasks: TaskStore;
  readonly artifacts: Artifacts;
  readonly workers: WorkerRegistry;
  readonly outbox: Outbox;
  readonly holds: Holds;
  readonly sessions: Sessions;
  readonly deadlines: Deadlines;
  readonly programs: Programs;
  readonly changes: Changes;
  /**
   * The time on which all processes of the store agree, as known to this process. Every time in the store, and every wait
   * for a time, uses this clock. Never throws.
   */
  time(): StoreTime;
  /** How a thread can renew leases on its own; absent when the store exists only in this thread. */
  readonly heartbeat?: HeartbeatSource;
  /**
   * Whether other machines may use the store. If so, a worker that cannot renew its lease stops its work before the lease
   * ends, because a process that cannot see the worker will take its tasks.
   * @default false
   */
  readonly isShared?: boolean;
  /** Keys that the processes share; absent when they are files in `directory`, or when the store lives in this process. */
  readonly secrets?: StoreSecrets;
  /** A directory for worker logs; absent when the store has no directory on disk. */
  readonly directory?: string;
  close(): Promise<void>;
}

/** A lifecycle or high-rate event of a task, in this or another process. */
export interface Change {
  readonly taskId: string;
  readonly type: EventType;
}

/** The feed of task changes, from all processes on the store. */
export interface Changes {
  /**
   * Calls `listener` after every durable change until the returned function is called. A listener that throws does not
   * affect the others.
   */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
}

/** The `module` of the SQLite store: the heartbeat thread has this module built in, also when bundled. */
export const SQLITE_HEARTBEAT = 'holdfast:sqlite';

/** The `module` of the PostgreSQL store, built into the heartbeat thread like `SQLITE_HEARTBEAT`. */
export const POSTGRES_HEARTBEAT = 'holdfast:postgres';

/** Loaded by the heartbeat thread: `module` is the address of a module that exports `openHeartbeat(options): Heartbeat`. */
export interface HeartbeatSource {
  readonly module: string;
  readonly options: Json;
}

/** Renews the leases of a worker from a separate thread. */
export interface Heartbeat {
  /** Like `WorkerRegistry.renew`; throws or rejects when the store cannot be written right now. */
  renew(workerId: string, leaseMs: number): WorkerState | undefined | Promise<WorkerState | undefined>;
  close(): void | Promise<void>;
}
