/** How the leases of one worker are kept alive: what the parts of it say to each other. */
import type { Clock } from '../../clock.ts';
import type { TaskErrorCode } from '../../errors.ts';
import type { HeartbeatSource, Store } from '../../store/contract.ts';
import type { WorkerState } from '../../store/contracts/worker-contract.ts';
import type { SharedCounts } from '../attempts/tools-at-work.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly workerId: string;
  readonly leaseMs: number;
  /** How long the main thread may be blocked before the worker counts as lost. */
  readonly maxBlockMs: number;
  /** What then happens: a process of its own is killed, a guest in the user's process only gives up its leases. */
  readonly onBlocked: 'kill' | 'surrender';
  /** Who is at work in the main thread, and which of these tools get a process of their own once they block it. */
  readonly watched: WatchedTools;
  /** The main thread was blocked for seconds while these tools were at work. */
  onBlocking(tools: readonly string[]): void;
  /** The worker is told to drain, or (`undefined`) has lost its place. */
  onState(state: WorkerState | undefined): void;
  report(error: unknown): void;
}

export interface WatchedTools extends SharedCounts {
  readonly movable: readonly string[];
}

/** What the thread is started with. */
export interface HeartbeatThreadData {
  readonly source: HeartbeatSource;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly onBlocked: 'kill' | 'surrender';
  readonly watched: WatchedTools;
  /** Moved by the main thread whenever it comes to a ping. */
  readonly counter: SharedArrayBuffer;
  /** See native-turn.ts. */
  readonly turn: SharedArrayBuffer;
  /** See last-renewal.ts. */
  readonly renewal: SharedArrayBuffer;
  /** Whether others may take the worker's tasks although it lives: see `Store.isShared`. */
  readonly isShared: boolean;
  /** Where the thread shows that it is alive, for those who cannot see it in the store. */
  readonly pulseFile: string | undefined;
}

/** What the thread tells the main thread. */
export type HeartbeatMessage =
  /** Its code is in memory. */
  | { readonly type: 'loaded' }
  /** It beats from now on. */
  | { readonly type: 'begun' }
  /** To be answered through the counter, by whoever is not blocked. */
  | { readonly type: 'ping' }
  | { readonly type: 'state'; readonly state: WorkerState | undefined }
  | { readonly type: 'blocked' }
  | { readonly type: 'blocking'; readonly tools: readonly string[] }
  | { readonly type: 'error'; readonly code: TaskErrorCode; readonly message: string };

/** What keeps the leases of one worker alive. */
export interface Heart {
  /** Resolves when all that beating needs is in memory; rejects when it cannot be loaded. */
  readonly loaded: Promise<void>;
  /** To be called once the worker has its place, with how long ago it asked for that. */
  begin(askedMs: number): void;
  stop(): Promise<void>;
}

/** Leases are renewed this many times per term. */
export const BEATS_PER_LEASE = 3;

/** Which part of a lease a worker may go without a renewal; the rest is for stopping its tools. */
export const FENCED_AFTER = 0.8;
