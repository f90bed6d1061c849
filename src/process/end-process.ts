import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessRef } from './process-ref.ts';

const VANISH_MS = 5000;
const LOOK_MS = 5;

/**
 * Kills one process that is known to be that very one, and resolves when it is gone, with `true`; with `false` when it
 * does not go. `undefined` when it cannot be told from here which one it is, or is not ours to signal. Never signals
 * another one with the same pid.
 */
export async function endProcess(ref: ProcessRef): Promise<boolean | undefined> {
  const until = performance.now() + VANISH_MS;
  for (;;) {
    const alive = isAlive(ref);
    if (alive !== true) return alive === undefined ? undefined : true;
    if (!kill(ref.pid)) return undefined;
    if (performance.now() >= until) return false;
    await delay(LOOK_MS);
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    // Gone already, which the next look tells.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}
