// @ts-check
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remark } from './report.js';

const TMPFS = 0x01021994;

/**
 * Runs `fn` with a temporary directory, which is removed afterwards.
 *
 * @template T
 * @param {(dir: string) => Promise<T>} fn
 */
export async function withTempDir(fn) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  if ((await statfs(dir)).type === TMPFS) remark(`${dir} lies in memory, where a sync costs nothing; set TMPDIR`);
  try {
    return await fn(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
