/**
 * Where tasks live: eight small contracts and a feed of changes.
 *
 * - `TaskStore` is the record. Every verb is one atomic transaction that includes its events.
 * - `Artifacts` holds what tasks gave and is too large for an answer.
 * - `WorkerRegistry` knows who runs work, and which process groups they started.
 * - `Outbox` holds what must reach the outside.
 * - `Holds` knows which plain calls are waited for on an open line, and which can be taken up again.
 * - `Sessions` knows which sessions of HTTP clients have ended.
 * - `Deadlines` ends tasks that were not started in time.
 * - `Programs` knows which programs serve the store, and moves tasks from one that is gone to another.
 *
 * Rules that every implementation keeps:
 * 1. A promise resolves only when the change is durable.
 * 2. A write by a worker carries its lease. When the task's fence or worker has moved on, or the task has
 *    ended, the write changes nothing and the verb says so by its return value; it never throws for that.
 * 3. Terminal states are final.
 * 4. A change is announced after it is durable. Announcements are hints: readers read again by cursor.
 * 5. Times are those of `time()`, never of a process: wall clocks may differ and be set.
 * 6. Two names that differ are never taken for one. A name that a store cannot keep as it is, such as one with a
 *    NUL, is refused with `INVALID_ARGUMENT`.
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

/** Everything that an engine keeps: the contract that every store fulfils. */
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
   * The time on which all processes of the store agree, as this one knows it. Every time that the store keeps is of this
   * clock, and everything that waits for a time goes by it. Never throws.
   */
  time(): StoreTime;
  /** How a thread can keep leases alive on its own; absent when the store lives in this thread only. */
  readonly heartbeat?: HeartbeatSource;
  /**
   * Whether other machines may be on it. A worker that cannot renew its lease then stops its work before the lease ends:
   * somebody who cannot see that it lives will take its tasks. @default false
   */
  readonly isShared?: boolean;
  /** Keys that its processes share; absent when these lie in files in `directory`, or the store lives in this process. */
  readonly secrets?: StoreSecrets;
  /** A directory for worker logs; absent when the store has no place on disk. */
  readonly directory?: string;
  close(): Promise<void>;
}

/** A lifecycle or high-rate event happened, in this process or another one. */
export interface Change {
  readonly taskId: string;
  readonly type: EventType;
}

/** The feed of what happens to tasks, in all processes on the store. */
export interface Changes {
  /**
   * Calls back after every durable change until the returned function is called. A listener that throws keeps
   * nothing from the others.
   */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
}

/** What the store in SQLite names as its module: the heartbeat thread has that one with it, also in a bundle. */
export const SQLITE_HEARTBEAT = 'holdfast:sqlite';

/** The same of the store in PostgreSQL. */
export const POSTGRES_HEARTBEAT = 'holdfast:postgres';

/** Loaded by the heartbeat thread: `module` is the address of one that exports `openHeartbeat(options): Heartbeat`. */
export interface HeartbeatSource {
  readonly module: string;
  readonly options: Json;
}

/** Keeps the leases of a worker alive from a thread of its own. */
export interface Heartbeat {
  /** As `WorkerRegistry.renew`; throws or rejects when the store cannot be written right now. */
  renew(workerId: string, leaseMs: number): WorkerState | undefined | Promise<WorkerState | undefined>;
  close(): void | Promise<void>;
}
