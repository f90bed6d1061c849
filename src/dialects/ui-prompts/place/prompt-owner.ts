/**
 * Which principal owns which log, in directories that clients name.
 *
 * A task id is unique only for its principal, but a log has only ids: a principal that could write to another's log
 * could forge how the other's tasks ended. So a file belongs to the principal that used it first, until it has been
 * unused for long. Stored in the directory of the store, for all servers on it; in memory for a store without one.
 */
import { createHash, randomUUID } from 'node:crypto';
import { link, lstat, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { PROMPT_LOG_CLAIM_MS } from '../../../limits.ts';
import { makeDirectory } from '../../../process/make-directory.ts';
import { PROMPTS_FOLDER, toPrincipalHash } from '../log/own-log.ts';

export interface PromptClaim {
  /** The real path of the log or the task store. */
  readonly file: string;
  readonly principal: string;
  /** The directory of the store. */
  readonly directory: string | undefined;
  readonly clock: Clock;
}

const inMemory = new Map<string, string>();

/** Claims a file for a principal; false when it belongs to another. */
export async function claimFile({ file, principal, directory, clock }: PromptClaim): Promise<boolean> {
  const ours = toPrincipalHash(principal);
  if (directory === undefined) {
    const owner = inMemory.get(file) ?? ours;
    inMemory.set(file, owner);
    return owner === ours;
  }
  const folder = join(directory, PROMPTS_FOLDER, 'owners');
  const note = join(folder, createHash('sha256').update(file).digest('hex'));
  await makeDirectory(folder);
  await dropOld(note, clock);
  const owner = (await readFile(note, 'utf8').catch(() => undefined)) ?? (await write(note, ours));
  if (owner === ours) await utimes(note, clock.now() / 1000, clock.now() / 1000);
  return owner === ours;
}

async function dropOld(note: string, clock: Clock): Promise<void> {
  const stats = await lstat(note).catch(() => undefined);
  if (stats && stats.mtimeMs < clock.now() - PROMPT_LOG_CLAIM_MS) await rm(note, { force: true });
}

/** Writes the owner atomically; returns the owner that is stored in the end. */
async function write(note: string, owner: string): Promise<string> {
  const next = `${note}.${randomUUID()}`;
  await writeFile(next, owner, { mode: 0o600, flag: 'wx' });
  try {
    await link(next, note);
    return owner;
  } catch {
    return await readFile(note, 'utf8');
  } finally {
    await rm(next, { force: true });
  }
}
