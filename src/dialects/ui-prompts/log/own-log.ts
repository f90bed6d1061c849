import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * Where a server keeps the log of a principal whose calls name no directory: each principal has a directory of its own,
 * and no log is next to the store.
 */
export function toOwnLogDirectory(storeDirectory: string, principal: string): string {
  return join(storeDirectory, PROMPTS_FOLDER, toPrincipalHash(principal));
}

/** The folder for prompt logs, in the directory of the store. */
export const PROMPTS_FOLDER = 'prompts';

/** Returns a file name that does not reveal the principal. */
export function toPrincipalHash(principal: string): string {
  return createHash('sha256').update(principal).digest('hex').slice(0, 32);
}
