/**
 * A sign of life that needs no database.
 *
 * Every worker has a small file beside the store, whose time its heart moves with each beat, also with those that the
 * store does not take. Whoever sees it move knows that the worker lives, however long nobody can write to the store.
 * Times are only ever compared with each other, and never with a clock.
 */
import { closeSync, constants, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openPlainFileSync } from '../../process/plain-file.ts';
import type { Store } from '../../store/contract.ts';

const FOLDER = 'pulse';

// Anything else could name a file outside of the folder.
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,200}$/;

/** The file of a worker; nothing when the store has no place on disk. */
export function toPulseFile({ directory }: Pick<Store, 'directory'>, workerId: string): string | undefined {
  return directory !== undefined && PLAIN_NAME.test(workerId) ? join(directory, FOLDER, workerId) : undefined;
}

/** Moves the time of the file, and makes the file when it is not there. A worker that cannot has no pulse. */
export function givePulse(file: string, now: Date = new Date()): void {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) makeFile(file);
    utimesSync(file, now, now);
  } catch {
    // A disk that takes nothing takes no heartbeat and no observation either: nobody is given up meanwhile.
  }
}

/** What changes with every pulse; nothing when there was none. */
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
    // Swept later.
  }
}

/** Whose files there are. */
export function listPulses({ directory }: Pick<Store, 'directory'>): string[] {
  try {
    return directory === undefined ? [] : readdirSync(join(directory, FOLDER)).filter((name) => PLAIN_NAME.test(name));
  } catch {
    return [];
  }
}

// Never the store's own directory: when that was removed, it must stay so.
function makeFile(file: string): void {
  try {
    mkdirSync(dirname(file), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { O_WRONLY, O_CREAT } = constants;
  closeSync(openPlainFileSync(file, { flags: O_WRONLY | O_CREAT }).file);
}
