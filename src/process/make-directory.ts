import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, accessible to this user only.
 *
 * Level by level, because Node's recursive `mkdir` never returns where a directory exists but allows no entries, as in /proc.
 * Other processes may create the same levels at the same time.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await tryMake(path).catch(isMissing)) return;
  const parent = dirname(path);
  const isThere = await stat(parent).catch(() => undefined);
  if (!isThere) await makeDirectory(parent);
  // The parent exists now, whichever process created it; an error that remains is thrown.
  await tryMake(path);
}

/** Returns true when the directory exists, whichever process created it. */
async function tryMake(path: string): Promise<true> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return true;
}

function isMissing(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOENT') return false;
  throw error;
}
