import type { Clock } from '../clock.ts';
import { TaskError, type TaskErrorCode } from '../errors.ts';
import type { HeartbeatSource, Store } from '../store/contract.ts';
import type { WorkerState } from '../store/worker-contract.ts';
import { startThread } from './thread-code.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly workerId: string;
  readonly leaseMs: number;
  /** How long the main thread may be blocked before the worker counts as lost. */
  readonly maxBlockMs: number;
  /** What then happens: a process of its own is killed, a guest in the user's process only gives up its leases. */
  readonly onBlocked: 'kill' | 'surrender';
  /** The worker is told to drain, or (`undefined`) has lost its place. */
  onState(state: WorkerState | undefined): void;
  report(error: unknown): void;
}

/** What the thread is started with. */
export interface HeartbeatThreadData {
  readonly source: HeartbeatSource;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly onBlocked: 'kill' | 'surrender';
  /** Moved by the main thread while it is alive. */
  readonly pulse: SharedArrayBuffer;
}

/** What the thread tells the main thread. */
export type HeartbeatMessage =
  | { readonly type: 'state'; readonly state: WorkerState | undefined }
  | { readonly type: 'blocked' }
  | { readonly type: 'error'; readonly code: TaskErrorCode; readonly message: string };

/** Leases are renewed this many times per term. */
export const BEATS_PER_LEASE = 3;

const PULSE_MS = 100;

/**
 * Keeps the leases of one worker alive.
 *
 * A thread does it, so that a tool that blocks the main thread for a while does not lose its work. The thread also
 * notices when the block lasts too long. A store that lives in this thread only is beaten from here.
 */
export function startHeartbeat(options: HeartbeatOptions): { stop(): Promise<void> } {
  return options.store.heartbeat ? startHeart(options, options.store.heartbeat) : startTimer(options);
}

function startHeart(options: HeartbeatOptions, source: HeartbeatSource): { stop(): Promise<void> } {
  const { workerId, leaseMs, maxBlockMs, onBlocked } = options;
  const pulse = new SharedArrayBuffer(4);
  const counter = new Int32Array(pulse);
  const timer = setInterval(() => Atomics.add(counter, 0, 1), PULSE_MS);
  timer.unref();
  const workerData: HeartbeatThreadData = { source, workerId, leaseMs, maxBlockMs, onBlocked, pulse };
  let cancelRestart = () => {};
  let stopped = false;
  const start = () => {
    const begun = startThread(new URL('./heartbeat-thread.js', import.meta.url), workerData);
    begun.unref();
    begun.on('message', (message: HeartbeatMessage) => {
      if (message.type === 'state') options.onState(message.state);
      else if (message.type === 'blocked') options.onState(undefined);
      else options.report(new TaskError(message.code, `heartbeat: ${message.message}`));
    });
    // A thread that ends takes the heart with it; another one may still come in time to keep the leases.
    begun.on('error', (error) => {
      options.report(error);
      if (stopped) return;
      cancelRestart = options.clock.after(leaseMs / BEATS_PER_LEASE, () => {
        heart = start();
      });
    });
    return { thread: begun, ended: new Promise((resolve) => begun.once('exit', resolve)) };
  };
  let heart = start();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      cancelRestart();
      // Asked, not terminated: a thread that is stopped inside a native driver takes the whole process with it.
      heart.thread.postMessage('stop');
      await heart.ended;
    },
  };
}

function startTimer(options: HeartbeatOptions): { stop(): Promise<void> } {
  const { store, clock, workerId, leaseMs } = options;
  let cancel = () => {};
  const beat = async () => {
    try {
      const state = await store.workers.renew(workerId, leaseMs);
      if (state !== 'ready') options.onState(state);
    } catch (error) {
      options.report(error);
    }
    arm();
  };
  let stopped = false;
  const arm = () => {
    if (!stopped) cancel = clock.after(leaseMs / BEATS_PER_LEASE, () => void beat());
  };
  arm();
  return {
    async stop() {
      stopped = true;
      cancel();
    },
  };
}
