/** How the leases of one worker are kept alive: the types and messages that its parts share. */
import type { Clock } from '../../clock.ts';
import type { TaskErrorCode } from '../../errors.ts';
import type { HeartbeatSource, Store } from '../../store/contract.ts';
import type { WorkerState } from '../../store/contracts/worker-contract.ts';
import type { SharedCounts } from '../attempts/running-tools.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly workerId: string;
  readonly leaseMs: number;
  /** How long the main thread may be blocked before the worker counts as lost. */
  readonly maxBlockMs: number;
  /** What happens then: a worker process is killed, an inline worker in the user's process only gives up its leases. */
  readonly onBlocked: 'kill' | 'surrender';
  /** The running tools of the main thread, and which of them get a process of their own once they block it. */
  readonly watched: WatchedTools;
  /** Called when the main thread was blocked for seconds while these tools were running. */
  onBlocking(tools: readonly string[]): void;
  /** Called when the worker has to drain, or (`undefined`) has lost its place. */
  onState(state: WorkerState | undefined): void;
  report(error: unknown): void;
}

export interface WatchedTools extends SharedCounts {
  readonly movable: readonly string[];
}

/** The `workerData` that the thread is started with. */
export interface HeartbeatThreadData {
  readonly source: HeartbeatSource;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly onBlocked: 'kill' | 'surrender';
  readonly watched: WatchedTools;
  /** Incremented by the main thread whenever it handles a ping. */
  readonly counter: SharedArrayBuffer;
  /** See native-guard.ts. */
  readonly turn: SharedArrayBuffer;
  /** See last-renewal.ts. */
  readonly renewal: SharedArrayBuffer;
  /** Whether others may claim the worker's tasks although it lives: see `Store.isShared`. */
  readonly isShared: boolean;
  /** The pulse file, which shows that the worker is alive to processes that cannot see it in the store. */
  readonly pulseFile: string | undefined;
}

/** Messages from the thread to the main thread. */
export type HeartbeatMessage =
  /** The thread's code is in memory. */
  | { readonly type: 'loaded' }
  /** The thread sends heartbeats from now on. */
  | { readonly type: 'begun' }
  /** To be answered through the counter, unless the main thread is blocked. */
  | { readonly type: 'ping' }
  | { readonly type: 'state'; readonly state: WorkerState | undefined }
  | { readonly type: 'blocked' }
  | { readonly type: 'blocking'; readonly tools: readonly string[] }
  | { readonly type: 'error'; readonly code: TaskErrorCode; readonly message: string };

/** Keeps the leases of one worker alive. */
export interface WorkerHeartbeat {
  /** Resolves when everything a heartbeat needs is in memory; rejects when it cannot be loaded. */
  readonly loaded: Promise<void>;
  /** To be called once the worker has registered, with how long ago it asked to. */
  begin(askedMs: number): void;
  stop(): Promise<void>;
}

/** How many times a lease is renewed per term. */
export const BEATS_PER_LEASE = 3;

/** The part of a lease that a worker may go without a renewal; the rest is for stopping its tools. */
export const FENCED_AFTER = 0.8;
