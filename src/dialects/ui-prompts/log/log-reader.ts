/**
 * Finds results in a log for all waiters in this process.
 *
 * There is one reader per file while there are waiters: appended bytes are read once for all of them. For a waiter that
 * comes later the earlier part is read again, together with all that came at the same time. Only the ids that are
 * waited for are kept in memory.
 */
import { basename, dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../../clock.ts';
import { DirectoryWatch } from '../../shared/directory-watch.ts';
import type { RequestEntry } from '../wire.ts';
import { readFileId } from './file-id.ts';
import { LogFile } from './log-file.ts';
import { scanHistory } from './log-history.ts';
import type { LogMark } from './log-mark.ts';
import { type Waiter, WaiterRegistry } from './waiter-registry.ts';

export interface WaitOptions {
  readonly taskId: string;
  readonly requestIdPrefix: string;
  readonly pollIntervalMs: number;
  /** There is no result before this position. */
  readonly mark?: LogMark;
  readonly signal?: AbortSignal;
  /** Whether to watch for change events of the system. @default true */
  readonly isWatching?: boolean;
  readonly clock?: Clock;
}

const readers = new Map<string, LogReader>();

/** Waits until the log has a result for the task; rejects with the signal's reason when the caller stops waiting. */
export function waitForResult(path: string, options: WaitOptions): Promise<RequestEntry> {
  const { signal } = options;
  return new Promise((resolveWait, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const reader = openReader(resolve(path), options);
    const onAbort = () => {
      reader.remove(waiter);
      reject(signal?.reason);
    };
    const waiter: Waiter = {
      taskId: options.taskId,
      prefix: options.requestIdPrefix,
      intervalMs: options.pollIntervalMs,
      mark: options.mark,
      found(entry) {
        signal?.removeEventListener('abort', onAbort);
        reader.remove(waiter);
        resolveWait(entry);
      },
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    reader.add(waiter);
  });
}

/** Returns how many logs are being read; 0 without waiters. */
export function countReaders(): number {
  return readers.size;
}

function openReader(path: string, options: WaitOptions): LogReader {
  const key = options.isWatching === false ? `${path}\0unwatched` : path;
  const known = readers.get(key);
  if (known) return known;
  const reader = new LogReader(path, { ...options, onEmpty: () => readers.delete(key) });
  readers.set(key, reader);
  return reader;
}

interface ReaderOptions {
  readonly clock?: Clock;
  readonly isWatching?: boolean;
  onEmpty(): void;
}

class LogReader {
  readonly #path: string;
  readonly #options: ReaderOptions;
  readonly #waiters = new WaiterRegistry();
  readonly #watch: DirectoryWatch;
  /** Waiters that came after reading began, with the position it had reached. */
  #late = new Map<Waiter, number>();
  #current: LogFile | undefined;
  /** The previous file of the log: writers that have it open may still append to it. */
  #previous: LogFile | undefined;
  #hasLooked = false;
  /** Whether there may be rotated files that have not been read. */
  #isBehind = false;
  #isBusy = false;
  #isHinted = false;
  #isClosed = false;

  constructor(path: string, options: ReaderOptions) {
    this.#path = path;
    this.#options = options;
    this.#watch = new DirectoryWatch(dirname(path), {
      clock: options.clock ?? systemClock,
      isWatching: options.isWatching ?? true,
      name: basename(path),
      intervalMs: () => this.#waiters.intervalMs,
      onHint: () => this.#hint(),
    });
  }

  add(waiter: Waiter): void {
    const before = this.#waiters.intervalMs;
    this.#waiters.add(waiter);
    this.#late.set(waiter, this.#current?.boundary ?? 0);
    if (this.#waiters.intervalMs !== before) this.#watch.rearm();
    this.#hint();
  }

  remove(waiter: Waiter): void {
    this.#late.delete(waiter);
    this.#waiters.remove(waiter);
    if (!this.#waiters.isEmpty || this.#isClosed) return;
    this.#isClosed = true;
    this.#watch.close();
    this.#options.onEmpty();
    this.#hint();
  }

  #hint(): void {
    this.#isHinted = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#work();
  }

  async #work(): Promise<void> {
    while (this.#isHinted && !this.#isClosed) {
      this.#isHinted = false;
      // A log that cannot be read now may be readable next time; `explainWait` reports the reason to waiters.
      await this.#look().catch(() => {});
    }
    if (this.#isClosed) await Promise.all([this.#current?.close(), this.#previous?.close()]).catch(() => {});
    this.#isBusy = false;
  }

  async #look(): Promise<void> {
    const id = await readFileId(this.#path);
    if (this.#current === undefined || this.#current.id !== id) await this.#follow(id);
    await this.#current?.pull();
    await this.#previous?.pull();
    if (this.#isBehind) await this.#catchUp();
    if (this.#late.size > 0) await this.#readForLate();
    this.#hasLooked = true;
  }

  /** Follows the file that the path now leads to, if any. */
  async #follow(id: string | undefined): Promise<void> {
    const old = this.#current;
    if (old) {
      await old.pull();
      await this.#previous?.close();
      this.#previous = old;
      this.#current = undefined;
    }
    if (id === undefined) return;
    // Only the first file may be read from a mark: later ones are new to all waiters.
    const mark = this.#hasLooked ? undefined : this.#waiters.toCommonMark();
    const next = await LogFile.open(this.#path, this.#waiters, mark);
    this.#isBehind ||= this.#hasLooked;
    this.#current = next;
  }

  /** Reads rotated files: between two reads a log may have been created, filled and moved away, even several times. */
  async #catchUp(): Promise<void> {
    const followed = [this.#current, this.#previous].flatMap((file) => file?.id ?? []);
    const after = this.#previous && { afterId: this.#previous.id };
    await scanHistory(this.#path, this.#waiters, { ...after, without: followed });
    this.#isBehind = false;
  }

  /** Reads the part from before the late waiters came, once for all of them. */
  async #readForLate(): Promise<void> {
    const batch = new WaiterRegistry();
    const late = [...this.#late];
    for (const [waiter] of late) batch.add(waiter);
    const end = late.reduce((most, [, one]) => Math.max(most, one), this.#current?.start ?? 0);
    const mark = batch.toCommonMark();
    this.#current?.peek();
    // Rotated files are older than a mark in the current file.
    if (!(await this.#current?.isMarked(mark))) {
      await scanHistory(this.#path, batch, { mark, without: this.#current ? [this.#current.id] : [] });
    }
    await this.#current?.scan(batch, { mark, end });
    // Removed only now: after a failure they are served again by the next read.
    for (const [waiter] of late) this.#late.delete(waiter);
  }
}
