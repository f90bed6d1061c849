import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, accessible to this user alone.
 *
 * Level by level: Node's recursive mkdir never returns where a directory exists but accepts no entries, as in /proc,
 * and on a read-only disk it reports ENOENT. Other processes may create the same levels at the same time.
 */
export function makeDirectorySync(path: string): void {
  if (tryMake(path)) return;
  const parent = dirname(path);
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeDirectorySync(parent);
  // The parent exists now, created by this process or another; if this fails again, it is an error.
  if (!tryMake(path)) throw noEntries(path, parent);
}

/** False when a parent directory is missing; true when the directory exists now, whichever process created it. */
function tryMake(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST' && !isDirectory(path)) throw error;
    return true;
  }
}

// On a read-only disk mkdir may fail with another code than EEXIST although the directory exists.
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function noEntries(path: string, parent: string): NodeJS.ErrnoException {
  const message = `EACCES: no directory can be made in ${parent}, mkdir '${path}'`;
  return Object.assign(new Error(message), { code: 'EACCES', syscall: 'mkdir', path });
}
