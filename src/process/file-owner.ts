import type { Stats } from 'node:fs';

const ROOT = 0;
const OTHERS_WRITE = 0o002;

/**
 * Why another user of the machine can write a file or directory; nothing when none can but root. Groups are left to the
 * owner: on many machines each user is one of their own.
 */
export function findForeignWriter({ uid, mode }: Stats): string | undefined {
  const us = process.getuid?.();
  if (us === undefined) return undefined;
  if (uid !== us && uid !== ROOT) return 'belongs to another user';
  return (mode & OTHERS_WRITE) === 0 ? undefined : 'can be written by everybody';
}
