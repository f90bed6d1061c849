/**
 * Keeps two programs out of one window.
 *
 * Runs of one program wait in the queue of their tool and never compete here. A server that was started differently (in another
 * directory, with other variables) has its own queue but may work in the same directory: it takes this lock, and so does an older
 * build, which also left ticket files beside it.
 */

import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeDirectory, takeLockFile } from '../../app-kit/index.ts';

const LOCK = 'lock';
const POLL_MS = 100;
/**
 * How often a held lock is renewed: for processes that cannot see its holder (on another machine), a lock that is not renewed is
 * abandoned.
 */
const TOUCH_MS = 20_000;

/** Takes the lock of a window at once and returns a function that releases it; undefined when another program holds it. */
export async function tryWindowLock(directory: string): Promise<(() => Promise<void>) | undefined> {
  const lock = join(directory, LOCK);
  await makeDirectory(directory);
  if (!(await takeLockFile(lock))) return undefined;
  const touching = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  await dropTickets(directory);
  return async () => {
    clearInterval(touching);
    await rm(lock, { force: true });
  };
}

/** Like `tryWindowLock`, but waits until the lock is free. Rejects with the signal's reason. */
export async function waitForWindowLock(directory: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    signal.throwIfAborted();
    const release = await tryWindowLock(directory);
    if (release) return release;
    await pause(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Removes ticket files of older builds; a process of such a build that still runs continues without its ticket. */
async function dropTickets(directory: string): Promise<void> {
  const tickets = (await readdir(directory)).filter((name) => !name.startsWith(LOCK));
  await Promise.all(tickets.map((name) => rm(join(directory, name), { force: true })));
}
