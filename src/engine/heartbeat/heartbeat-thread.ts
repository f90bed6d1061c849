/**
 * The heartbeat thread: renews a worker's leases on a connection of its own, and monitors the main thread.
 *
 * Blocked time is counted in checks, not by the clock: while the whole process is suspended nothing is counted.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isTaskError, type TaskErrorCode } from '../../errors.ts';
import { type Heartbeat, POSTGRES_HEARTBEAT, SQLITE_HEARTBEAT } from '../../store/contract.ts';
import type { WorkerState } from '../../store/contracts/worker-contract.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { createBlockReporter } from './block-reporter.ts';
import { BEATS_PER_LEASE, FENCED_AFTER, type HeartbeatMessage, type HeartbeatThreadData } from './heartbeat.ts';
import { LastRenewal } from './last-renewal.ts';
import { leaveNative, runNative } from './native-guard.ts';
import { touchPulse } from './pulse.ts';

const { source, workerId, leaseMs, maxBlockMs, onBlocked, watched, isShared, pulseFile, ...data } =
  workerData as HeartbeatThreadData;
const counter = new Int32Array(data.counter);
const nativeFlags = new Int32Array(data.turn);
const renewal = new LastRenewal(data.renewal);
// For very long `leaseMs` and `maxBlockMs`: timers have a longest delay, and a newer build must be noticed.
const MAX_BEAT_MS = 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const everyMs = Math.max(10, Math.min(leaseMs / BEATS_PER_LEASE, maxBlockMs / 4, MAX_BEAT_MS));

// A worker that cannot write for any other reason never will, and must not be mistaken for one that works.
// Corruption counts as passing: SQLite also reports it for a page that could not be read for a moment.
const TRANSIENT_CODES = [
  ...(['STORE_LOCKED', 'STORE_FULL', 'STORE_FAILED', 'STORE_READ_ONLY'] as const),
  ...(['STORE_NO_ACCESS', 'STORE_CORRUPT', 'CONNECT_FAILED'] as const),
];
const reportBlock = createBlockReporter(watched, {
  everyMs,
  maxBlockMs,
  report: (tools) => post({ type: 'blocking', tools }),
});

let openHeartbeat: (options: never) => Heartbeat;
let heartbeat: Heartbeat | undefined;
let timer: NodeJS.Timeout | undefined;
let fenceTimer: NodeJS.Timeout | undefined;
let isStopped = false;
let lastCount = Atomics.load(counter, 0);
let hasPulse = true;
let blockedMs = 0;
let absentBeats = 0;
let isRenewing = false;

// 'stop' may arrive while the module is still loading; 'begin' arrives after that.
parentPort?.on('message', (message: 'begin' | 'stop') => (message === 'stop' ? stop() : begin()));
// Thrown outside of the promise: the main thread must get the error, however the program handles rejections.
load().catch((error) => setImmediate(() => throwIt(error)));

function throwIt(error: unknown): never {
  throw error;
}

/**
 * Loads the module that the store names. The modules of our own stores are part of this code: in a bundle, a thread has
 * no other file.
 */
async function load(): Promise<void> {
  ({ openHeartbeat } = await loadSource(source.module));
  leaveNative(nativeFlags);
  if (!isStopped) post({ type: 'loaded' });
}

function loadSource(module: string): Promise<{ openHeartbeat: typeof openHeartbeat }> {
  if (module === SQLITE_HEARTBEAT) return import('../../store/sqlite/workers/heartbeat.ts');
  return module === POSTGRES_HEARTBEAT ? import('../../store/postgres/workers/heartbeat.ts') : import(module);
}

function begin(): void {
  // 'begin' and 'stop' may cross. A thread that began after its stop would live until it mistook the main thread for blocked.
  if (isStopped) return;
  heartbeat = runNative(nativeFlags, () => openHeartbeat(source.options as never));
  timer = setInterval(beat, everyMs);
  armFence();
  post({ type: 'begun' });
  post({ type: 'ping' });
  // The last beat before this thread took over may have been a while ago.
  if (renewal.silentMs > everyMs / 2) renew();
}

function stop(): void {
  isStopped = true;
  clearInterval(timer);
  clearTimeout(fenceTimer);
  // Closing may take its time and is not awaited, but an open port would keep the thread alive.
  void runNative(nativeFlags, () => heartbeat?.close());
  parentPort?.close();
}

function beat(): void {
  const now = Atomics.load(counter, 0);
  blockedMs = now === lastCount ? blockedMs + everyMs : 0;
  // An unanswered ping waits for the main thread; further ones would only pile up.
  if (now !== lastCount) post({ type: 'ping' });
  lastCount = now;
  reportBlock(blockedMs);
  if (blockedMs >= maxBlockMs) onMainThreadBlocked();
  else renew();
}

/** Independent of the beats: the next one may come after the lease has expired. */
function armFence(): void {
  if (!isShared) return;
  clearTimeout(fenceTimer);
  fenceTimer = setTimeout(fence, Math.min(leaseMs * FENCED_AFTER - renewal.silentMs, MAX_TIMER_MS));
}

/** Others cannot see that this worker lives and will claim its tasks, so it stops its own work before they may. */
function fence(): void {
  if (renewal.silentMs < leaseMs * FENCED_AFTER) {
    armFence();
    return;
  }
  clearInterval(timer);
  post({ type: 'state', state: undefined });
}

function renew(): void {
  // A renewal in progress does the same as another would.
  if (isRenewing) return;
  // Before the call to the store, which may block.
  if (hasPulse && pulseFile !== undefined) touchPulse(pulseFile);
  const begunAt = performance.now();
  try {
    const renewed = runNative(nativeFlags, () => heartbeat?.renew(workerId, leaseMs));
    if (renewed instanceof Promise) awaitRenewal(renewed, begunAt);
    else onRenewed(renewed, begunAt);
  } catch (error) {
    onRefused(error);
  }
}

function awaitRenewal(renewed: Promise<WorkerState | undefined>, begunAt: number): void {
  isRenewing = true;
  const settled = renewed.then((state) => onRenewed(state, begunAt), onRefused);
  void settled.finally(() => {
    isRenewing = false;
  });
}

function onRenewed(state: WorkerState | undefined, begunAt: number): void {
  if (isStopped) return;
  renewal.note(performance.now() - begunAt);
  armFence();
  hasPulse = true;
  absentBeats = 0;
  if (state !== 'ready') post({ type: 'state', state });
  if (state === undefined) clearInterval(timer);
}

function onRefused(error: unknown): void {
  if (isStopped) return;
  hasPulse = TRANSIENT_CODES.some((code) => isTaskError(error, code));
  post({ type: 'error', ...toErrorFields(error) });
  noteAbsence(error);
}

/** A store that is gone for good, or missing for a whole lease, holds nothing for this worker any more. */
function noteAbsence(error: unknown): void {
  absentBeats = isTaskError(error, 'STORE_GONE') ? absentBeats + 1 : 0;
  if (absentBeats <= BEATS_PER_LEASE && !isFinalRefusal(error)) return;
  clearInterval(timer);
  post({ type: 'state', state: undefined });
}

/** Converts an error for the main thread: errors lose their class between threads. */
function toErrorFields(error: unknown): { code: TaskErrorCode; message: string } {
  if (isTaskError(error)) return { code: error.code, message: error.message };
  return { code: 'INTERNAL', message: String(error) };
}

/** Called when the main thread is blocked for too long: without a heartbeat the leases expire, and others recover the tasks. */
function onMainThreadBlocked(): void {
  clearInterval(timer);
  if (onBlocked === 'kill') process.kill(process.pid, 'SIGKILL');
  post({ type: 'blocked' });
}

function post(message: HeartbeatMessage): void {
  parentPort?.postMessage(message);
}
