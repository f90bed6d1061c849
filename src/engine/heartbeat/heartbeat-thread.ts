/**
 * The heartbeat thread: renews a worker's leases on a connection of its own, and watches the main thread.
 *
 * Blocked time is counted in checks, not by the clock: while the whole process is stopped nothing is counted.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isTaskError, type TaskErrorCode } from '../../errors.ts';
import { type Heartbeat, POSTGRES_HEARTBEAT, SQLITE_HEARTBEAT } from '../../store/contract.ts';
import type { WorkerState } from '../../store/contracts/worker-contract.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { createBlockTeller } from './block-teller.ts';
import { BEATS_PER_LEASE, FENCED_AFTER, type HeartbeatMessage, type HeartbeatThreadData } from './heartbeat.ts';
import { LastRenewal } from './last-renewal.ts';
import { leaveNative, takeTurn } from './native-turn.ts';
import { givePulse } from './pulse.ts';

const { source, workerId, leaseMs, maxBlockMs, onBlocked, watched, isShared, pulseFile, ...data } =
  workerData as HeartbeatThreadData;
const counter = new Int32Array(data.counter);
const turn = new Int32Array(data.turn);
const renewal = new LastRenewal(data.renewal);
// However long both are: timers cannot wait for ever, and a newer build must be noticed.
const MAX_BEAT_MS = 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const everyMs = Math.max(10, Math.min(leaseMs / BEATS_PER_LEASE, maxBlockMs / 4, MAX_BEAT_MS));

// Whoever cannot write for any other reason never will, and must not be taken for a worker that works.
// Damage counts as passing: SQLite says so of a page that could not be read for a moment.
const PASSING = [
  ...(['STORE_LOCKED', 'STORE_FULL', 'STORE_FAILED', 'STORE_READ_ONLY'] as const),
  ...(['STORE_NO_ACCESS', 'STORE_CORRUPT', 'CONNECT_FAILED'] as const),
];
const tellOfBlock = createBlockTeller(watched, {
  everyMs,
  maxBlockMs,
  tell: (tools) => tell({ type: 'blocking', tools }),
});

let openHeartbeat: (options: never) => Heartbeat;
let heart: Heartbeat | undefined;
let timer: NodeJS.Timeout | undefined;
let fencing: NodeJS.Timeout | undefined;
let isStopped = false;
let lastCount = Atomics.load(counter, 0);
let hasPulse = true;
let blockedMs = 0;
let absentBeats = 0;
let isRenewing = false;

// 'stop' may come while the module is still being loaded; 'begin' comes after that.
parentPort?.on('message', (message: 'begin' | 'stop') => (message === 'stop' ? stop() : begin()));
// Thrown outside of the promise: whatever a program does about rejections, the main thread must hear of it.
load().catch((error) => setImmediate(() => throwIt(error)));

function throwIt(error: unknown): never {
  throw error;
}

/** What the store names is its own affair, but for ours, which is a part of this code: threads of bundles have no other. */
async function load(): Promise<void> {
  ({ openHeartbeat } = await loadSource(source.module));
  leaveNative(turn);
  if (!isStopped) tell({ type: 'loaded' });
}

function loadSource(module: string): Promise<{ openHeartbeat: typeof openHeartbeat }> {
  if (module === SQLITE_HEARTBEAT) return import('../../store/sqlite/workers/heartbeat.ts');
  return module === POSTGRES_HEARTBEAT ? import('../../store/postgres/workers/heartbeat.ts') : import(module);
}

function begin(): void {
  // The two may cross. A thread that began after its end would live until it took the main thread for blocked.
  if (isStopped) return;
  heart = takeTurn(turn, () => openHeartbeat(source.options as never));
  timer = setInterval(beat, everyMs);
  armFence();
  tell({ type: 'begun' });
  tell({ type: 'ping' });
  // Whoever beat before may have done so a while ago.
  if (renewal.silentMs > everyMs / 2) renew();
}

function stop(): void {
  isStopped = true;
  clearInterval(timer);
  clearTimeout(fencing);
  // What takes its time may, but a port that is open keeps the thread.
  void takeTurn(turn, () => heart?.close());
  parentPort?.close();
}

function beat(): void {
  const now = Atomics.load(counter, 0);
  blockedMs = now === lastCount ? blockedMs + everyMs : 0;
  // One that is not answered waits for the main thread; more of them would only pile up.
  if (now !== lastCount) tell({ type: 'ping' });
  lastCount = now;
  tellOfBlock(blockedMs);
  if (blockedMs >= maxBlockMs) giveUp();
  else renew();
}

/** Beside the beats: the next one may come when the lease is over. */
function armFence(): void {
  if (!isShared) return;
  clearTimeout(fencing);
  fencing = setTimeout(fence, Math.min(leaseMs * FENCED_AFTER - renewal.silentMs, MAX_TIMER_MS));
}

/** Others cannot see that this worker lives and will take its tasks, so it stops its own work before they may. */
function fence(): void {
  if (renewal.silentMs < leaseMs * FENCED_AFTER) {
    armFence();
    return;
  }
  clearInterval(timer);
  tell({ type: 'state', state: undefined });
}

function renew(): void {
  // One that is not answered yet says the same as another would.
  if (isRenewing) return;
  // Before the store is asked, which may keep us waiting.
  if (hasPulse && pulseFile !== undefined) givePulse(pulseFile);
  const begunAt = performance.now();
  try {
    const renewed = takeTurn(turn, () => heart?.renew(workerId, leaseMs));
    if (renewed instanceof Promise) awaitBeat(renewed, begunAt);
    else onRenewed(renewed, begunAt);
  } catch (error) {
    onRefused(error);
  }
}

function awaitBeat(renewed: Promise<WorkerState | undefined>, begunAt: number): void {
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
  if (state !== 'ready') tell({ type: 'state', state });
  if (state === undefined) clearInterval(timer);
}

function onRefused(error: unknown): void {
  if (isStopped) return;
  hasPulse = PASSING.some((code) => isTaskError(error, code));
  tell({ type: 'error', ...toTold(error) });
  noteAbsence(error);
}

/** A store that is gone, or away for a whole lease, keeps nothing for this worker any more. */
function noteAbsence(error: unknown): void {
  absentBeats = isTaskError(error, 'STORE_GONE') ? absentBeats + 1 : 0;
  if (absentBeats <= BEATS_PER_LEASE && !isFinalRefusal(error)) return;
  clearInterval(timer);
  tell({ type: 'state', state: undefined });
}

/** Errors lose their class between threads. */
function toTold(error: unknown): { code: TaskErrorCode; message: string } {
  if (isTaskError(error)) return { code: error.code, message: error.message };
  return { code: 'INTERNAL', message: String(error) };
}

/** Without a beat the leases run out, and others recover the tasks. */
function giveUp(): void {
  clearInterval(timer);
  if (onBlocked === 'kill') process.kill(process.pid, 'SIGKILL');
  tell({ type: 'blocked' });
}

function tell(message: HeartbeatMessage): void {
  parentPort?.postMessage(message);
}
