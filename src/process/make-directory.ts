import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing, for this user alone.
 *
 * Level by level: Node's own way never ends where a directory is there and takes no entries, as in /proc. Others may make
 * the same levels at the same time.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await tryMake(path).catch(isMissing)) return;
  const parent = dirname(path);
  const isThere = await stat(parent).catch(() => undefined);
  if (!isThere) await makeDirectory(parent);
  // The parent is there now, by us or by somebody else; what fails still, fails.
  await tryMake(path);
}

/** True when it is there now, by whomever. */
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
