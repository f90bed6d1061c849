/**
 * The file that a keeper leaves behind when it ends after a host was killed: the calls whose outcome it could not record.
 *
 * Any other call that was to go through this keeper, and has no outcome or handle in the ledger, never reached it: it can be
 * sent.
 */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../is-object.ts';
import { parseJson } from './frames.ts';

const END = '.end';
// 30 days: a host that resumes an older call has checked this file before.
const KEPT_MS = 30 * 86_400_000;

export async function writeKeeperEnd(directory: string, keeper: string, lost: readonly string[]): Promise<void> {
  await writeFile(join(directory, `${keeper}${END}`), JSON.stringify({ lost }), { mode: 0o600 });
}

/** Whether a keeper that has ended certainly never had this call. */
export async function neverReceived(directory: string, keeper: string, callId: string): Promise<boolean> {
  // The name is read from a ledger, so it is checked before it becomes part of a path.
  if (!/^[0-9a-f-]{36}$/.test(keeper)) return false;
  const end = parseJson(await readFile(join(directory, `${keeper}${END}`), 'utf8').catch(() => ''));
  return isObject(end) && Array.isArray(end.lost) && !end.lost.includes(callId);
}

export async function removeOldEnds(directory: string, now: number): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(END));
  for (const name of names) {
    const path = join(directory, name);
    const made = await stat(path).catch(() => undefined);
    if (made && now - made.mtimeMs > KEPT_MS) await rm(path, { force: true });
  }
}
