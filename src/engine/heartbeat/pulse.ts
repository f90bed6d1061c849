/**
 * A sign of life that needs no database.
 *
 * Every worker has a small file beside the store, whose mtime its heartbeat updates each time, even with beats that the
 * store does not accept. A process that sees it change knows that the worker lives, however long the store cannot be
 * written. Times are only ever compared with each other, and never with a clock.
 */
import { closeSync, constants, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openPlainFileSync } from '../../process/plain-file.ts';
import type { Store } from '../../store/contract.ts';

const FOLDER = 'pulse';

// Any other name could address a file outside of the folder.
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,200}$/;

/** Returns the pulse file of a worker; `undefined` when the store is not on disk. */
export function toPulseFile({ directory }: Pick<Store, 'directory'>, workerId: string): string | undefined {
  return directory !== undefined && PLAIN_NAME.test(workerId) ? join(directory, FOLDER, workerId) : undefined;
}

/** Updates the mtime of the file, and creates the file if it is missing. A worker that cannot do so has no pulse. */
export function touchPulse(file: string, now: Date = new Date()): void {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) makeFile(file);
    utimesSync(file, now, now);
  } catch {
    // A disk that accepts no writes stores no heartbeat and no observation either: no worker is declared dead meanwhile.
  }
}

/** Returns a text that changes with every pulse; `undefined` when there was none. */
export function readPulse(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mtimeMs.toString();
  } catch {
    return undefined;
  }
}

export function removePulse(file: string | undefined): void {
  try {
    if (file !== undefined) rmSync(file, { force: true });
  } catch {
    // The file is swept later.
  }
}

/** Returns the ids of the workers that have a pulse file. */
export function listPulses({ directory }: Pick<Store, 'directory'>): string[] {
  try {
    return directory === undefined ? [] : readdirSync(join(directory, FOLDER)).filter((name) => PLAIN_NAME.test(name));
  } catch {
    return [];
  }
}

// Never creates the store's own directory: when that was removed, it must stay removed.
function makeFile(file: string): void {
  try {
    mkdirSync(dirname(file), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { O_WRONLY, O_CREAT } = constants;
  closeSync(openPlainFileSync(file, { flags: O_WRONLY | O_CREAT }).file);
}
