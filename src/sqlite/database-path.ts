import { accessSync, closeSync, constants, existsSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskError } from '../errors.ts';
import { makeDirectorySync } from '../make-directory-sync.ts';
import { openDriver } from './driver.ts';
import { toStoreError } from './failure.ts';

/**
 * Creates the database (0600) and its directory (0700) when they are missing, before SQLite opens either.
 *
 * The file appears under its name only when complete, with our header, so an empty file is never one that is just being
 * created.
 */
export function createDatabaseFile(path: string, applicationId: number): void {
  try {
    if (existsSync(path)) return;
    makeDirectorySync(dirname(path));
    const draft = `${path}.${process.pid}-${performance.now()}.new`;
    // The write-ahead log and the shared-memory file inherit this mode from the database.
    closeSync(openSync(draft, 'wx', 0o600));
    try {
      writeHeader(draft, applicationId);
      linkSync(draft, path);
    } finally {
      rmSync(draft);
    }
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toStoreError(error, path);
  }
}

function writeHeader(path: string, applicationId: number): void {
  const driver = openDriver(path, { readOnly: false });
  try {
    // No other process sees the draft before it is complete, so it needs neither a journal nor a sync.
    driver.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = ${applicationId}`);
  } finally {
    driver.close();
  }
}

/** Checks that the file exists, is readable and is writable, before SQLite reports that less clearly. */
export function checkAccess(path: string, options: { readonly readOnly: boolean }): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw toStoreError(error, path);
  }
  const isRoomy = canWrite(dirname(path));
  if (options.readOnly) checkIndex(path, isRoomy);
  else if (!isRoomy || !canWrite(path)) {
    // SQLite would silently open the file read-only.
    const message = `${path} cannot be written by this user; make the file and its directory writable`;
    throw new TaskError('STORE_READ_ONLY', isRoomy ? `${message}, or open it read-only` : message);
  }
}

// A reader needs the index of the log too. If it is missing, SQLite has to create it next to the file.
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
