import type { Stats } from 'node:fs';

const ROOT = 0;
const OTHERS_WRITE = 0o002;

/**
 * Returns why another user of the machine can write a file or directory; `undefined` when only this user and root can. Group
 * permissions are ignored: on many machines each user has a group of their own.
 */
export function findForeignWriter({ uid, mode }: Stats): string | undefined {
  const us = process.getuid?.();
  if (us === undefined) return undefined;
  if (uid !== us && uid !== ROOT) return 'belongs to another user';
  return (mode & OTHERS_WRITE) === 0 ? undefined : 'can be written by everybody';
}
