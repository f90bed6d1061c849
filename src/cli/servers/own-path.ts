/**
 * Whether a file is our own word, or somebody else's.
 *
 * What a file says is run, so whoever can write it, or put another in its place, runs programs as us. That is its owner,
 * the owners of the directories it lies in, and whoever may write one of these. Root can do so anyway.
 */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const [GROUP_WRITES, OTHERS_WRITE, STICKY] = [0o020, 0o002, 0o1000];

/** Why a file that is there cannot be trusted; nothing when only we and root can have written it. */
export function findFault(path: string): string | undefined {
  // Windows keeps homes apart by lists of access that cannot be read here.
  if (process.getuid === undefined) return undefined;
  const real = realpathSync(path);
  const folders = [...listParents(real), ...listParents(resolve(realpathSync(dirname(path)), 'file'))];
  const fault = findOwnFault(real) ?? [...new Set(folders)].map(findOwnFault).find(Boolean);
  return fault;
}

/** Whether a directory is somebody else's. */
export function isForeign(path: string): boolean {
  return isOthers(statSync(path));
}

function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...listParents(parent)];
}

function findOwnFault(path: string): string | undefined {
  const stats = statSync(path);
  if (isOthers(stats)) return `${path} belongs to another user (uid ${stats.uid})`;
  // In a directory like /tmp others can add, but not take the place of what is ours.
  const isKept = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  return canOthersWrite(stats) && !isKept ? `${path} can be written by other users` : undefined;
}

function isOthers({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid() && uid !== 0;
}

/** A group of the same number as its user is that user's alone, by the custom of most systems. */
function canOthersWrite({ mode, uid, gid }: Stats): boolean {
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== uid);
}
