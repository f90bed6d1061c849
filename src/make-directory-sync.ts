import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing, for this user alone.
 *
 * Level by level: Node's own way never ends where a directory is there and takes no entries, as in /proc, and on a disk
 * that cannot be written it says that something is missing. Others may make the same levels at the same time.
 */
export function makeDirectorySync(path: string): void {
  if (tryMake(path)) return;
  const parent = dirname(path);
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeDirectorySync(parent);
  // The parent is there now, by us or by somebody else; what fails still, fails.
  if (!tryMake(path)) throw noEntries(path, parent);
}

/** False when a directory above it is missing; true when it is there now, by whomever. */
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

// On a disk that cannot be written, the system may say so of a directory that is there.
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function noEntries(path: string, parent: string): NodeJS.ErrnoException {
  const message = `EACCES: no directory can be made in ${parent}, mkdir '${path}'`;
  return Object.assign(new Error(message), { code: 'EACCES', syscall: 'mkdir', path });
}
