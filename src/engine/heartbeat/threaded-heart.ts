import type { Worker as Thread } from 'node:worker_threads';
import { TaskError, taskErrorCodes } from '../../errors.ts';
import type { HeartbeatSource } from '../../store/contract.ts';
import { type HeartTimer, startHeartTimer } from './heart-timer.ts';
import {
  BEATS_PER_LEASE,
  type Heart,
  type HeartbeatMessage,
  type HeartbeatOptions,
  type HeartbeatThreadData,
} from './heartbeat.ts';
import { LastRenewal } from './last-renewal.ts';
import { enterNative, guardExit, leaveNative, makeNativeTurn } from './native-turn.ts';
import { removePulse, toPulseFile } from './pulse.ts';
import { startThread } from './thread-code.ts';

const MAX_PAUSE_MS = 60_000;

/**
 * A heart in a thread of its own.
 *
 * loading ──▶ loaded ──`begin`──▶ beating
 *    └──────────┴─────────────────────┴──▶ ended by an error
 *
 * A thread that ends while loading rejects `loaded`. After `begin` another thread is started, with pauses that double:
 * its code may be gone from the disk, and leases must not expire because of that. From `begin` until a thread beats, the
 * main thread does.
 */
export class ThreadedHeart implements Heart {
  readonly loaded: Promise<void>;
  readonly #options: HeartbeatOptions;
  readonly #data: HeartbeatThreadData;
  readonly #counter: Int32Array;
  readonly #turn: Int32Array;
  readonly #renewal = new LastRenewal();
  readonly #unguard: () => void;
  #settleLoaded: (error?: Error) => void = () => {};
  #thread: Thread | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #state: 'loading' | 'loaded' | 'ended' = 'loading';
  #hasBegun = false;
  #isStopped = false;
  #failures = 0;
  #standIn: HeartTimer | undefined;
  #cancelRestart = () => {};

  constructor(options: HeartbeatOptions, source: HeartbeatSource) {
    const { workerId, leaseMs, maxBlockMs, onBlocked, watched } = options;
    const counter = new SharedArrayBuffer(4);
    const turn = makeNativeTurn();
    const pulseFile = toPulseFile(options.store, workerId);
    this.#options = options;
    const isShared = options.store.isShared ?? false;
    const shared = { counter, turn, renewal: this.#renewal.shared };
    this.#data = { source, workerId, leaseMs, maxBlockMs, onBlocked, watched, ...shared, isShared, pulseFile };
    this.#turn = new Int32Array(turn);
    this.#counter = new Int32Array(counter);
    this.loaded = new Promise((resolve, reject) => {
      this.#settleLoaded = (error) => (error ? reject(error) : resolve());
    });
    // An inline worker ignores the rejection: the main thread sends its heartbeats then.
    this.loaded.catch(() => {});
    this.#unguard = guardExit(this.#turn);
    this.#start();
  }

  begin(askedMs: number): void {
    this.#hasBegun = true;
    this.#renewal.note(askedMs);
    if (this.#state === 'loaded') this.#thread?.postMessage('begin');
    else if (this.#state === 'ended') this.#replace();
    // Loading may take longer than a lease on a busy machine.
    else this.#standIn ??= this.#startStandIn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRestart();
    this.#standIn?.stop();
    // Asked to stop, not terminated: a thread stopped inside a native driver aborts the whole process.
    this.#thread?.postMessage('stop');
    await this.#ended;
    this.#unguard();
    removePulse(this.#data.pulseFile);
  }

  #start(): void {
    this.#state = 'loading';
    enterNative(this.#turn);
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
    this.#standIn?.stop();
    this.#standIn = undefined;
  }

  #onEnd(error: Error): void {
    leaveNative(this.#turn);
    // An error ends the thread: 'exit' is emitted after 'error'.
    if (this.#state === 'ended' || this.#isStopped) return;
    this.#state = 'ended';
    this.#settleLoaded(error);
    if (this.#failures === 0) this.#options.report(toNamed(error));
    if (this.#hasBegun) this.#replace();
  }

  #startStandIn(): HeartTimer {
    const renewal = this.#renewal;
    return startHeartTimer(this.#options, {
      silentMs: renewal.silentMs,
      onRenewed: (agoMs) => renewal.note(agoMs),
    });
  }

  #replace(): void {
    if (this.#isStopped) return;
    const { clock, leaseMs } = this.#options;
    this.#standIn ??= this.#startStandIn();
    const pauseMs = Math.min((leaseMs / BEATS_PER_LEASE) * 2 ** Math.min(this.#failures, 30), MAX_PAUSE_MS);
    this.#failures += 1;
    this.#cancelRestart = clock.after(pauseMs, () => this.#start());
  }
}

/** Restores the class of an error: errors lose it between threads. */
function toNamed(error: Error & { readonly code?: unknown }): Error {
  const code = taskErrorCodes.find((one) => one === error.code);
  return code === undefined ? error : new TaskError(code, `heartbeat: ${error.message}`);
}
