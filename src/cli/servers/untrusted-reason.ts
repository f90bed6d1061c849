/**
 * Whether a file can only have been written by this user (or root).
 *
 * A config file says what to run, so anyone who can write or replace it runs programs as this user: its owner, the owners of
 * its parent directories, and everybody who may write one of these. Root can do so anyway.
 */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const [GROUP_WRITES, OTHERS_WRITE, STICKY] = [0o020, 0o002, 0o1000];

/** Why an existing file cannot be trusted; undefined when only this user and root can have written it. */
export function findUntrustedReason(path: string): string | undefined {
  // Windows protects homes with access control lists, which cannot be read here.
  if (process.getuid === undefined) return undefined;
  const real = realpathSync(path);
  const folders = [...listParents(real), ...listParents(resolve(realpathSync(dirname(path)), 'file'))];
  const reason = findReasonAt(real) ?? [...new Set(folders)].map(findReasonAt).find(Boolean);
  return reason;
}

/** Whether a directory belongs to another user. */
export function isForeign(path: string): boolean {
  return isOthers(statSync(path));
}

function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...listParents(parent)];
}

function findReasonAt(path: string): string | undefined {
  const stats = statSync(path);
  if (isOthers(stats)) return `${path} belongs to another user (uid ${stats.uid})`;
  // In a sticky directory such as /tmp, others can add files but not replace ours.
  const isKept = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  return canOthersWrite(stats) && !isKept ? `${path} can be written by other users` : undefined;
}

function isOthers({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid() && uid !== 0;
}

/** On most systems, a group with the same number as its user has only that user as its member. */
function canOthersWrite({ mode, uid, gid }: Stats): boolean {
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== uid);
}
