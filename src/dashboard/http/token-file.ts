import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../process/make-directory.ts';

const FILE = 'dashboard.token';

/**
 * Returns the token of a directory's dashboard. It survives restarts, so an open page keeps working. Only its owner can read the
 * file.
 */
export async function openTokenFile(directory: string): Promise<string> {
  await makeDirectory(directory);
  const path = join(directory, FILE);
  const made = randomBytes(24).toString('base64url');
  try {
    // Never overwrites an existing file: another program may have created it a moment ago.
    await writeFile(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = (await readFile(path, 'utf8')).trim();
  if (/^[\w-]{32}$/.test(kept)) return kept;
  await writeFile(path, `${made}\n`, { mode: 0o600 });
  return made;
}
