/**
 * A lock that admits one Holdfast writer at a time, across processes.
 *
 * The lock is a file beside the file it guards, and contains the process that holds it. A process that finds the holder dead
 * removes the lock, under a second lock, so that it cannot remove the lock of a new holder. Other programs ignore the lock: for
 * their sake, we append with a single write.
 */
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { TaskError } from '../errors.ts';
import { openPlainFile } from './plain-file.ts';
import { currentProcess, isAlive, type ProcessRef } from './process-ref.ts';

/** How to wait for a lock file. */
export interface LockOptions {
  /** How long to wait for other writers, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
}

// A holder writes its name at once; a lock without one is from a process that was killed in between.
const UNNAMED_STALE_MS = 5_000;
// A holder on another machine cannot be checked, but no holder needs the lock this long.
const UNCHECKED_STALE_MS = 60_000;
// More bytes than the name of any holder.
const MAX_NAME = 4096;

const queues = new Map<string, Promise<unknown>>();

/** Runs `fn` while holding the lock of this file; throws `STORE_LOCKED` when the lock is not released in time. */
export function withFileLock<T>(path: string, fn: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const turn = before.then(() => runLocked(path, fn, options));
  const done = turn
    .catch(() => {})
    .then(() => {
      if (queues.get(path) === done) queues.delete(path);
    });
  queues.set(path, done);
  return turn;
}

/** Creates a lock file if no live process holds it; returns whether it did. The caller removes the file when done. */
export async function takeLockFile(lock: string): Promise<boolean> {
  if (await tryCreate(lock)) return true;
  return (await removeStale(lock)) && (await tryCreate(lock));
}

async function runLocked<T>(path: string, fn: () => Promise<T>, options: LockOptions): Promise<T> {
  const lock = `${path}.lock`;
  await acquire(lock, options);
  try {
    return await fn();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, { timeoutMs = 10_000 }: LockOptions): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await takeLockFile(lock))) {
    if (performance.now() >= deadline) {
      throw new TaskError('STORE_LOCKED', `${lock} was held for ${timeoutMs} ms; try again, or end its holder`);
    }
    await pause(2 + Math.random() * 10);
  }
}

async function tryCreate(lock: string): Promise<boolean> {
  try {
    await using file = await open(lock, 'wx', 0o600);
    await file.writeFile(JSON.stringify(currentProcess()));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a lock whose holder is dead; returns whether the lock may be free now. */
async function removeStale(lock: string): Promise<boolean> {
  if (!(await isStale(lock))) return false;
  const guard = `${lock}.takeover`;
  if (!(await tryCreate(guard))) {
    if (await isStale(guard)) await rm(guard, { force: true });
    return false;
  }
  try {
    // Checked again under the guard: another process may have been faster, and holds a new lock by now.
    if (!(await isStale(lock))) return false;
    await rm(lock, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    const { file, stats } = await openPlainFile(lock, { flags: constants.O_RDONLY });
    await using held = file;
    const { buffer, bytesRead } = await held.read(Buffer.alloc(MAX_NAME), 0, MAX_NAME, 0);
    const ageMs = Date.now() - stats.mtimeMs;
    const holder = parseHolder(buffer.toString('utf8', 0, bytesRead));
    if (holder === undefined) return ageMs > UNNAMED_STALE_MS;
    return !(isAlive(holder) ?? ageMs < UNCHECKED_STALE_MS);
  } catch {
    return false;
  }
}

function parseHolder(text: string): ProcessRef | undefined {
  try {
    const { host, pid, startTime } = JSON.parse(text);
    const isRef = typeof host === 'string' && Number.isInteger(pid) && typeof startTime === 'string';
    return isRef ? { host, pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
