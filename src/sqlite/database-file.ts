/**
 * Whether a database is still the file that was opened.
 *
 * SQLite holds on to its file descriptors: once the file or its log has been deleted or replaced, commits go on to
 * succeed and reach nobody. Names are looked at and nothing is opened: closing any descriptor of the file would drop
 * the locks that SQLite has on it, because POSIX locks belong to the process.
 */
import { type Stats, statSync } from 'node:fs';
import { TaskError } from '../errors.ts';

// Looking costs a few microseconds, so what only reads does not look each time.
const LOOK_MS = 250;

/**
 * One file under watch.
 *
 * - there:  the name leads to the file that was opened.
 * - away:   the name leads nowhere; whoever moved the file may put it back.
 * - gone:   another file has the name, or the file is empty, or something was committed while it was away. Final.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #file: Stats | undefined;
  #log: Stats | undefined;
  #lookedAt = performance.now();
  #gone: TaskError | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = look(path);
    this.#log = look(`${path}-wal`);
  }

  /** To be called before anything is committed. */
  check(): void {
    if (this.#gone) throw this.#gone;
    const fault = this.#findFault() ?? this.#findLogFault();
    if (fault === undefined) return;
    if (fault.isFinal) this.#gone = fault.error;
    throw fault.error;
  }

  /** To be called after a commit, before anybody is told of it. What it reached must not be tried again. */
  checkCommitted(): void {
    const fault = this.#findFault();
    if (fault === undefined) return;
    this.#gone = fault.isFinal ? fault.error : toGone(this.#path, 'was deleted', { isFinal: true }).error;
    throw this.#gone;
  }

  /** The same as `check`, for what only reads. */
  checkNowAndThen(): void {
    if (this.#gone || performance.now() - this.#lookedAt > LOOK_MS) this.check();
  }

  #findFault(): Fault | undefined {
    const found = look(this.#path);
    if (found === undefined) return toGone(this.#path, 'was deleted or moved away', { isFinal: false });
    if (!isSame(found, this.#file)) return toGone(this.#path, 'was replaced by another file', { isFinal: true });
    return found.size === 0 ? toGone(this.#path, 'was cut to nothing', { isFinal: true }) : undefined;
  }

  /** The log lives as long as any connection; it may come into being after this one was opened. */
  #findLogFault(): Fault | undefined {
    const now = performance.now();
    if (now - this.#lookedAt <= LOOK_MS) return undefined;
    this.#lookedAt = now;
    const found = look(`${this.#path}-wal`);
    this.#log ??= found;
    if (this.#log === undefined || (found && isSame(found, this.#log))) return undefined;
    const what = found ? 'was replaced by another file' : 'was deleted or moved away';
    return toGone(`${this.#path}-wal`, what, { isFinal: found !== undefined });
  }
}

interface Fault {
  readonly error: TaskError;
  readonly isFinal: boolean;
}

/** A database is never empty, not even for a moment while it is made. */
export function refuseEmpty(path: string): void {
  if (look(path)?.size !== 0) return;
  const message = `${path} is empty, which a database never is: it was cut to nothing; restore a copy, or remove it to start with a new one`;
  throw new TaskError('STORE_GONE', message, { data: { final: true } });
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats, b: Stats | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino;
}

function toGone(path: string, what: string, { isFinal }: { readonly isFinal: boolean }): Fault {
  const message = `${path} ${what} while it was in use, and nothing is kept any more; put it back if you can, and start this program again`;
  return { error: new TaskError('STORE_GONE', message, { data: { final: isFinal } }), isFinal };
}
