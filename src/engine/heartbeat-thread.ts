/**
 * The heartbeat thread: renews a worker's leases on a connection of its own, and watches the main thread.
 *
 * Blocked time is counted in checks, not by the clock: while the whole process is stopped nothing is counted.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isTaskError, type TaskErrorCode } from '../errors.ts';
import type { Heartbeat } from '../store/contract.ts';
import { BEATS_PER_LEASE, type HeartbeatMessage, type HeartbeatThreadData } from './heartbeat.ts';
import { loadThreadModule } from './thread-code.ts';

const { source, workerId, leaseMs, maxBlockMs, onBlocked, pulse } = workerData as HeartbeatThreadData;
const counter = new Int32Array(pulse);
// However long both are: timers cannot wait for ever, and a newer build must be noticed.
const LONGEST_BEAT_MS = 60_000;
const everyMs = Math.max(10, Math.min(leaseMs / BEATS_PER_LEASE, maxBlockMs / 4, LONGEST_BEAT_MS));

let heart: Heartbeat | undefined;
let timer: NodeJS.Timeout | undefined;
let isStopped = false;
let lastPulse = Atomics.load(counter, 0);
let blockedMs = 0;

// The only message there is; it may come while the module is still being loaded.
parentPort?.once('message', stop);
const { openHeartbeat } = (await loadThreadModule(source.module)) as { openHeartbeat(options: unknown): Heartbeat };
if (!isStopped) {
  heart = openHeartbeat(source.options);
  timer = setInterval(beat, everyMs);
}

function stop(): void {
  isStopped = true;
  clearInterval(timer);
  heart?.close();
  parentPort?.close();
}

function beat(): void {
  const now = Atomics.load(counter, 0);
  blockedMs = now === lastPulse ? blockedMs + everyMs : 0;
  lastPulse = now;
  if (blockedMs >= maxBlockMs) giveUp();
  else renew();
}

function renew(): void {
  try {
    const state = heart?.renew(workerId, leaseMs);
    if (state !== 'ready') tell({ type: 'state', state });
    if (state === undefined) clearInterval(timer);
  } catch (error) {
    tell({ type: 'error', ...toTold(error) });
  }
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
