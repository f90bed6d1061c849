/**
 * Checks whether a database is still the file that was opened.
 *
 * SQLite keeps its file descriptors: once the file or its log was deleted or replaced, commits still succeed but no other
 * process sees them. Only names are checked (`stat`) and nothing is opened: closing any descriptor of the file would drop
 * the locks that SQLite has on it, because POSIX locks belong to the process.
 */
import { type Stats, statSync } from 'node:fs';
import { TaskError } from '../errors.ts';

// A check costs a few microseconds, so reads do not check each time.
const CHECK_EVERY_MS = 250;

/**
 * One file under watch.
 *
 * - there:  the path leads to the file that was opened.
 * - away:   the path leads nowhere; the file may be moved back.
 * - gone:   another file has the path, or the file is empty, or something was committed while it was away. Final.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #file: Stats | undefined;
  #log: Stats | undefined;
  #checkedAt = performance.now();
  #gone: TaskError | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = readStats(path);
    this.#log = readStats(`${path}-wal`);
  }

  /** Call before each commit. Throws when the file is not there. */
  check(): void {
    if (this.#gone) throw this.#gone;
    const fault = this.#findFault() ?? this.#findLogFault();
    if (fault === undefined) return;
    if (fault.isFinal) this.#gone = fault.error;
    throw fault.error;
  }

  /** Call after a commit, before its callers are notified. A commit that reached a missing file must not be repeated. */
  checkCommitted(): void {
    const fault = this.#findFault();
    if (fault === undefined) return;
    this.#gone = fault.isFinal ? fault.error : toGoneFault(this.#path, 'was deleted', { isFinal: true }).error;
    throw this.#gone;
  }

  /** Like `check`, but at most every `CHECK_EVERY_MS`; for reads. */
  checkNowAndThen(): void {
    if (this.#gone || performance.now() - this.#checkedAt > CHECK_EVERY_MS) this.check();
  }

  #findFault(): Fault | undefined {
    const found = readStats(this.#path);
    if (found === undefined) return toGoneFault(this.#path, 'was deleted or moved away', { isFinal: false });
    if (!isSame(found, this.#file)) return toGoneFault(this.#path, 'was replaced by another file', { isFinal: true });
    return found.size === 0 ? toGoneFault(this.#path, 'was cut to nothing', { isFinal: true }) : undefined;
  }

  /** The log exists as long as any connection; it may be created after this connection was opened. */
  #findLogFault(): Fault | undefined {
    const now = performance.now();
    if (now - this.#checkedAt <= CHECK_EVERY_MS) return undefined;
    this.#checkedAt = now;
    const found = readStats(`${this.#path}-wal`);
    this.#log ??= found;
    if (this.#log === undefined || (found && isSame(found, this.#log))) return undefined;
    const what = found ? 'was replaced by another file' : 'was deleted or moved away';
    return toGoneFault(`${this.#path}-wal`, what, { isFinal: found !== undefined });
  }
}

interface Fault {
  readonly error: TaskError;
  readonly isFinal: boolean;
}

/** Throws when the file is empty: a database never is, not even while it is being created. */
export function refuseEmpty(path: string): void {
  if (readStats(path)?.size !== 0) return;
  const message = `${path} is empty, which a database never is: it was cut to nothing; restore a copy, or remove it to start with a new one`;
  throw new TaskError('STORE_GONE', message, { data: { final: true } });
}

function readStats(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats, b: Stats | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino;
}

function toGoneFault(path: string, what: string, { isFinal }: { readonly isFinal: boolean }): Fault {
  const message = `${path} ${what} while it was in use, and nothing is kept any more; put it back if you can, and start this program again`;
  return { error: new TaskError('STORE_GONE', message, { data: { final: isFinal } }), isFinal };
}
