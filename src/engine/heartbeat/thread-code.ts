/**
 * Locates the code of the heartbeat thread: a text that the build has put into this package, and bundles carry with them.
 * A thread that loads file after file costs a worker a quarter of the processor time of its start.
 *
 * A bundle that carries native code as well is run again as the thread instead; sources have a file and no text.
 */
import { isMainThread, Worker as Thread } from 'node:worker_threads';
import { ownUrl } from '../../own-url.ts';
import type { HeartbeatThreadData } from './heartbeat.ts';
import { THREAD_SOURCE } from './thread-source.ts';

// No `new URL` of two literals: bundlers would copy that file beside the bundle, without what it imports.
const FILE = './engine/heartbeat/heartbeat-thread.js';

let bundleUrl: string | undefined;

/**
 * Declares that the program is one file, `url`, which is to be run again as the thread.
 *
 * Returns `true` in the main thread; in a thread, `false` when its code has been loaded.
 */
export async function bundleThread(url: string, load: () => Promise<unknown>): Promise<boolean> {
  bundleUrl = url;
  if (isMainThread) return true;
  await load();
  return false;
}

export function startThread(workerData: HeartbeatThreadData): Thread {
  if (bundleUrl !== undefined) return new Thread(new URL(bundleUrl), { workerData });
  if (THREAD_SOURCE === '') return new Thread(new URL(FILE, ownUrl), { workerData });
  // The thread resolves packages from the directory of the bundle.
  return new Thread(THREAD_SOURCE, { eval: true, workerData: { ...workerData, ownUrl } });
}
