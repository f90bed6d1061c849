// @ts-check
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 100;

// Longer than any download. Needed because a dead owner's pid may be reused by an unrelated process.
const MAX_HOLD_MS = 15 * 60_000;

/**
 * Runs `work` while no other process does so under the same lock file.
 *
 * A lock whose owner is dead is taken over. Two processes that find the same dead lock at once may both proceed, so `work`
 * must not rely on the lock for correctness, only to avoid being done twice.
 *
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  await mkdir(dirname(path), { recursive: true });
  while (!(await take(path))) await delay(LOOK_AGAIN_MS);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** @param {string} path */
async function take(path) {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (await isAbandoned(path)) await rm(path, { force: true });
  return false;
}

/** @param {string} path */
async function isAbandoned(path) {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    if (Date.now() - mtimeMs > MAX_HOLD_MS) return true;
    // An empty file belongs to an owner that is about to write its pid.
    return text !== '' && !isRunning(Number(text));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** @param {unknown} error @param {string} code */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
