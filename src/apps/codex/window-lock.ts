/**
 * Keeps two programs out of one window.
 *
 * Runs of one program wait in the queue of their tool and never meet here. A server that was started otherwise (in
 * another directory, with other variables) has a queue of its own and may work in the same directory: it holds this lock,
 * and so does an older build, which also left tickets beside it.
 */

import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeDirectory, takeLockFile } from '../../app-kit/index.ts';

const LOCK = 'lock';
const LOOK_MS = 100;
/** A lock that is held from where its holder cannot be seen counts as left when it is not touched. */
const TOUCH_MS = 20_000;

/** Takes the lock of a window at once, and returns the way to let go of it; nothing when another program has it. */
export async function tryWindow(directory: string): Promise<(() => Promise<void>) | undefined> {
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

/** The same, when it is free. Rejects with the signal's reason. */
export async function awaitWindow(directory: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    signal.throwIfAborted();
    const leave = await tryWindow(directory);
    if (leave) return leave;
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** A process of an older build that is still there goes on without its ticket. */
async function dropTickets(directory: string): Promise<void> {
  const tickets = (await readdir(directory)).filter((name) => !name.startsWith(LOCK));
  await Promise.all(tickets.map((name) => rm(join(directory, name), { force: true })));
}
