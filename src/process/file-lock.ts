/**
 * One writer of ours at a time, in this process and in others.
 *
 * The lock is a file beside the one it guards, with the process that holds it inside. Who finds the holder dead takes
 * the lock away, under a second lock, so that nobody takes a new holder's. Foreign programs know nothing of it: what we
 * append goes in with a single write for their sake.
 */
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { TaskError } from '../errors.ts';
import { openPlainFile } from './plain-file.ts';
import { currentProcess, isAlive, type ProcessRef } from './process-ref.ts';

/** How a lock file is waited for. */
export interface LockOptions {
  /** How long to wait for other writers. @default 10_000 */
  readonly timeoutMs?: number;
}

// A holder writes its name at once; a lock without one was left by a process that was killed in between.
const NAMELESS_MS = 5_000;
// A holder on another machine cannot be asked; no holder needs so long.
const UNSEEN_MS = 60_000;
// More than the name of any holder.
const MAX_NAME = 4096;

const queues = new Map<string, Promise<unknown>>();

/** Runs `fn` while nobody else holds the lock of this file; throws `STORE_LOCKED` when it does not become free. */
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

/** Makes a lock file if nobody who lives holds it; whoever got it removes it, or dies. */
export async function takeLockFile(lock: string): Promise<boolean> {
  if (await tryCreate(lock)) return true;
  return (await takeAway(lock)) && (await tryCreate(lock));
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

/** Removes a lock whose holder is dead; says whether there may be a free lock now. */
async function takeAway(lock: string): Promise<boolean> {
  if (!(await isLeft(lock))) return false;
  const guard = `${lock}.takeover`;
  if (!(await tryCreate(guard))) {
    if (await isLeft(guard)) await rm(guard, { force: true });
    return false;
  }
  try {
    // Asked again under the guard: somebody may have been faster, and holds a new lock by now.
    if (!(await isLeft(lock))) return false;
    await rm(lock, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

async function isLeft(lock: string): Promise<boolean> {
  try {
    const { file, stats } = await openPlainFile(lock, { flags: constants.O_RDONLY });
    await using held = file;
    const { buffer, bytesRead } = await held.read(Buffer.alloc(MAX_NAME), 0, MAX_NAME, 0);
    const ageMs = Date.now() - stats.mtimeMs;
    const holder = parseHolder(buffer.toString('utf8', 0, bytesRead));
    if (holder === undefined) return ageMs > NAMELESS_MS;
    return !(isAlive(holder) ?? ageMs < UNSEEN_MS);
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
