/**
 * Where the code of threads lives: in files of their own, or, when a program was bundled, in its one file.
 *
 * In a bundle every module believes that it lies where the bundle does, so the files it names beside itself are names
 * in the bundle's table. The bundle is run again as the thread, with such a name as its argument.
 */
import { isMainThread, Worker as Thread } from 'node:worker_threads';

/** The modules that threads load, by the names of the files they would be. */
export type ThreadModules = Readonly<Record<string, () => Promise<unknown>>>;

let bundled: ReadonlyMap<string, () => Promise<unknown>> = new Map();
let bundleUrl = '';

/**
 * Says that the program is one file, `url`, which carries the code of its threads.
 *
 * Returns `true` in the main thread; in a thread, `false` when its module has run.
 */
export async function bundleThreads(url: string, modules: ThreadModules): Promise<boolean> {
  bundleUrl = url;
  bundled = new Map(Object.entries(modules).map(([name, load]) => [new URL(name, url).href, load]));
  if (isMainThread) return true;
  await loadThreadModule(process.argv[2] ?? '');
  return false;
}

/** Starts a thread whose code is that file. */
export function startThread(file: URL, workerData: unknown): Thread {
  if (!bundled.has(file.href)) return new Thread(file, { workerData });
  return new Thread(new URL(bundleUrl), { workerData, argv: [file.href] });
}

/** Imports what a thread needs, by the address of its file. */
export async function loadThreadModule(href: string): Promise<unknown> {
  const load = bundled.get(href);
  return load === undefined ? import(href) : load();
}
