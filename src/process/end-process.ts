import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessRef } from './process-ref.ts';

const VANISH_MS = 5000;
const LOOK_MS = 5;

/**
 * Kills exactly this process. Resolves with `true` when it is gone, with `false` when it does not exit within `VANISH_MS`, and
 * with `undefined` when it cannot be identified from here, or this user may not signal it. Never signals another process with the
 * same pid.
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
    // It may be gone already; the next check shows that.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}
