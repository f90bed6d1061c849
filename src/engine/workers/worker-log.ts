import { constants, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openPlainFileSync } from '../../process/plain-file.ts';

const MAX_LOG_BYTES = 10_000_000;

/** Opens the file that a detached worker prints to, beside the store; nothing when the store has no place on disk. */
export function openWorkerLog(directory: string | undefined, identity: string): number | undefined {
  if (directory === undefined) return undefined;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `worker-${identity}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  return openPlainFileSync(path, { flags: O_WRONLY | O_APPEND | O_CREAT }).file;
}
