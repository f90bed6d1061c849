import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskError } from '../errors.ts';
import { toStoreError } from './failure.ts';

/** Makes the file (0600) and its directory (0700) when they are missing, before SQLite sees either. */
export function makePlace(path: string): void {
  try {
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // The write-ahead log and the shared-memory file inherit this mode from the database.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Somebody else was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toStoreError(error, path);
  }
}

/** Says before SQLite does, and more clearly, that a file is missing, unreadable or may not be written. */
export function checkPlace(path: string, options: { readonly readOnly: boolean }): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw toStoreError(error, path);
  }
  const isRoomy = canWrite(dirname(path));
  if (options.readOnly) checkIndex(path, isRoomy);
  else if (!isRoomy || !canWrite(path)) {
    // SQLite would quietly fall back to reading only.
    const message = `${path} cannot be written by this user; make the file and its directory writable`;
    throw new TaskError('STORE_READ_ONLY', isRoomy ? `${message}, or open it read-only` : message);
  }
}

// A reader needs the index of the log too. Where it is missing SQLite has to make it, next to the file.
function checkIndex(path: string, isRoomy: boolean): void {
  if (isRoomy || existsSync(`${path}-shm`)) return;
  const message = `${path} can be read by this user only while another process has it open; make its directory writable, or read a copy`;
  throw new TaskError('STORE_NO_ACCESS', message);
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
