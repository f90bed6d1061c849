import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * Where a server keeps the log of a principal whose calls name no directory: one of its own, so that nobody's log is
 * another's, and none lies beside the store.
 */
export function toOwnLogDirectory(storeDirectory: string, principal: string): string {
  return join(storeDirectory, PROMPTS_FOLDER, toPrincipalHash(principal));
}

/** What the server keeps of logs, in the directory of its store. */
export const PROMPTS_FOLDER = 'prompts';

/** A name for files that says nothing of who it is. */
export function toPrincipalHash(principal: string): string {
  return createHash('sha256').update(principal).digest('hex').slice(0, 32);
}
