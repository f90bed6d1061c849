import type { Worker as Thread } from 'node:worker_threads';
import { TaskError, taskErrorCodes } from '../../errors.ts';
import type { HeartbeatSource } from '../../store/contract.ts';
import {
  BEATS_PER_LEASE,
  type HeartbeatMessage,
  type HeartbeatOptions,
  type HeartbeatThreadData,
  type WorkerHeartbeat,
} from './heartbeat.ts';
import { type HeartbeatTimer, startHeartbeatTimer } from './heartbeat-timer.ts';
import { LastRenewal } from './last-renewal.ts';
import { createNativeFlags, delayExitWhileNative, enterNative, leaveNative } from './native-guard.ts';
import { removePulse, toPulseFile } from './pulse.ts';
import { startThread } from './thread-code.ts';

const MAX_RESTART_DELAY_MS = 60_000;

/**
 * A heartbeat in a thread of its own.
 *
 * loading ──▶ loaded ──`begin`──▶ beating
 *    └──────────┴─────────────────────┴──▶ ended by an error
 *
 * A thread that ends while loading rejects `loaded`. After `begin` another thread is started, with pauses that double:
 * its code may be gone from the disk, and leases must not expire because of that. From `begin` until a thread beats, the
 * main thread does.
 */
export class ThreadedHeartbeat implements WorkerHeartbeat {
  readonly loaded: Promise<void>;
  readonly #options: HeartbeatOptions;
  readonly #data: HeartbeatThreadData;
  readonly #counter: Int32Array;
  readonly #nativeFlags: Int32Array;
  readonly #renewal = new LastRenewal();
  readonly #allowExit: () => void;
  #settleLoaded: (error?: Error) => void = () => {};
  #thread: Thread | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #state: 'loading' | 'loaded' | 'ended' = 'loading';
  #hasBegun = false;
  #isStopped = false;
  #failures = 0;
  #fallbackTimer: HeartbeatTimer | undefined;
  #cancelRestart = () => {};

  constructor(options: HeartbeatOptions, source: HeartbeatSource) {
    const { workerId, leaseMs, maxBlockMs, onBlocked, watched } = options;
    const counter = new SharedArrayBuffer(4);
    const turn = createNativeFlags();
    const pulseFile = toPulseFile(options.store, workerId);
    this.#options = options;
    const isShared = options.store.isShared ?? false;
    const shared = { counter, turn, renewal: this.#renewal.shared };
    this.#data = { source, workerId, leaseMs, maxBlockMs, onBlocked, watched, ...shared, isShared, pulseFile };
    this.#nativeFlags = new Int32Array(turn);
    this.#counter = new Int32Array(counter);
    this.loaded = new Promise((resolve, reject) => {
      this.#settleLoaded = (error) => (error ? reject(error) : resolve());
    });
    // An inline worker ignores the rejection: the main thread sends its heartbeats then.
    this.loaded.catch(() => {});
    this.#allowExit = delayExitWhileNative(this.#nativeFlags);
    this.#start();
  }

  begin(askedMs: number): void {
    this.#hasBegun = true;
    this.#renewal.note(askedMs);
    if (this.#state === 'loaded') this.#thread?.postMessage('begin');
    else if (this.#state === 'ended') this.#scheduleRestart();
    // Loading may take longer than a lease on a busy machine.
    else this.#fallbackTimer ??= this.#startFallbackTimer();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRestart();
    this.#fallbackTimer?.stop();
    // Asked to stop, not terminated: a thread stopped inside a native driver aborts the whole process.
    this.#thread?.postMessage('stop');
    await this.#ended;
    this.#allowExit();
    removePulse(this.#data.pulseFile);
  }

  #start(): void {
    this.#state = 'loading';
    enterNative(this.#nativeFlags);
    try {
      const thread = startThread(this.#data);
      thread.unref();
      thread.on('message', (message: HeartbeatMessage) => this.#onMessage(message));
      thread.on('error', (error) => this.#onEnd(error));
      this.#ended = new Promise((resolve) => thread.once('exit', resolve));
      thread.once('exit', () => this.#onEnd(new Error('the heartbeat thread ended by itself')));
      this.#thread = thread;
    } catch (error) {
      // The system has no resources for another thread, or allows none.
      this.#onEnd(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #onMessage(message: HeartbeatMessage): void {
    const { onState, onBlocking, report } = this.#options;
    if (message.type === 'ping') Atomics.add(this.#counter, 0, 1);
    else if (message.type === 'loaded') this.#onLoaded();
    else if (message.type === 'begun') this.#onBegun();
    else if (message.type === 'state') onState(message.state);
    else if (message.type === 'blocked') onState(undefined);
    else if (message.type === 'blocking') onBlocking(message.tools);
    else report(new TaskError(message.code, `heartbeat: ${message.message}`));
  }

  #onLoaded(): void {
    this.#state = 'loaded';
    this.#settleLoaded();
    if (this.#hasBegun && !this.#isStopped) this.#thread?.postMessage('begin');
  }

  #onBegun(): void {
    this.#failures = 0;
    this.#fallbackTimer?.stop();
    this.#fallbackTimer = undefined;
  }

  #onEnd(error: Error): void {
    leaveNative(this.#nativeFlags);
    // An error ends the thread: 'exit' is emitted after 'error'.
    if (this.#state === 'ended' || this.#isStopped) return;
    this.#state = 'ended';
    this.#settleLoaded(error);
    if (this.#failures === 0) this.#options.report(toTypedError(error));
    if (this.#hasBegun) this.#scheduleRestart();
  }

  #startFallbackTimer(): HeartbeatTimer {
    const renewal = this.#renewal;
    return startHeartbeatTimer(this.#options, {
      silentMs: renewal.silentMs,
      onRenewed: (agoMs) => renewal.note(agoMs),
    });
  }

  #scheduleRestart(): void {
    if (this.#isStopped) return;
    const { clock, leaseMs } = this.#options;
    this.#fallbackTimer ??= this.#startFallbackTimer();
    const delayMs = Math.min((leaseMs / BEATS_PER_LEASE) * 2 ** Math.min(this.#failures, 30), MAX_RESTART_DELAY_MS);
    this.#failures += 1;
    this.#cancelRestart = clock.after(delayMs, () => this.#start());
  }
}

/** Restores the class of an error: errors lose it between threads. */
function toTypedError(error: Error & { readonly code?: unknown }): Error {
  const code = taskErrorCodes.find((one) => one === error.code);
  return code === undefined ? error : new TaskError(code, `heartbeat: ${error.message}`);
}
