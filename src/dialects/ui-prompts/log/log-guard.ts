/**
 * Opens a log for appending, and rejects any other file under its name.
 *
 * A log is a plain file of this user, with a single name, that is empty or begins with an entry. An attacker who can
 * make a writer append to another file writes lines into it: a shell's start-up file, a database.
 */
import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { TaskError } from '../../../errors.ts';
import { isLinkError, isOwn, openPlainFile } from '../../../process/plain-file.ts';
import { MAX_ENTRY, parseLine } from '../wire.ts';
import { countNames } from './log-history.ts';

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;

/** Opens the log, and creates it when it is missing; throws `STORE_FOREIGN` when the file is something else. */
export function openLog(path: string): Promise<FileHandle> {
  return openChecked(path, O_RDWR | O_APPEND | O_CREAT);
}

/** Throws what `openLog` would throw, and creates nothing. */
export async function checkLogFile(path: string): Promise<void> {
  try {
    await (await openChecked(path, O_RDONLY)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function openChecked(path: string, flags: number): Promise<FileHandle> {
  const { file, stats } = await openPlainFile(path, { flags }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    throw foreignLogError(path, isLinkError(error) ? 'it is a link' : (error as Error).message, error);
  });
  const fault = await findFault(path, file, stats).catch((error: unknown) => (error as Error).message);
  if (fault === undefined) return file;
  await file.close();
  throw foreignLogError(path, fault);
}

async function findFault(path: string, file: FileHandle, stats: Stats): Promise<string | undefined> {
  if (!isOwn(stats)) return `it belongs to the user ${stats.uid}`;
  // A rotation gives the log a second name for a moment, and an interrupted rotation leaves it.
  if (stats.nlink > 1 && stats.nlink > (await countNames(path, stats))) return 'it has a second name elsewhere';
  if (stats.size === 0) return undefined;
  return parseLine(await readFirstLine(file)) === undefined ? 'its first line is no entry' : undefined;
}

/** Returns the first line, up to the largest size of an entry. */
async function readFirstLine(file: FileHandle): Promise<string> {
  let text = Buffer.alloc(0);
  while (text.length <= MAX_ENTRY) {
    const length = Math.max(CHUNK_BYTES, text.length);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, text.length);
    const end = buffer.subarray(0, bytesRead).indexOf(LF);
    text = Buffer.concat([text, buffer.subarray(0, end === -1 ? bytesRead : end)]);
    if (end !== -1 || bytesRead === 0) return text.toString('utf8').replace(/^\uFEFF/, '');
  }
  return '';
}

function foreignLogError(path: string, why: string, cause?: unknown): TaskError {
  const text = `${path} is not taken for a log of prompts: ${why}; move it away, or name another`;
  return new TaskError('STORE_FOREIGN', text, cause === undefined ? {} : { cause });
}
