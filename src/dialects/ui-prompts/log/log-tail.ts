/**
 * Shows what is appended to a log, entry by entry, until it is closed.
 *
 * Rotated files are followed. A log that is rewritten or carried over is read again, and entries shown before are not
 * shown a second time.
 */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { systemClock } from '../../../clock.ts';
import { DirectoryWatch } from '../../shared/directory-watch.ts';
import { type PromptEntry, parseLine } from '../wire.ts';
import { readFileId } from './file-id.ts';
import type { LineSink } from './line-scanner.ts';
import { LogFile } from './log-file.ts';
import { listSiblings, scanHistory } from './log-history.ts';
import type { LogMark } from './log-mark.ts';

export interface LogTailOptions {
  /** Where to begin; without it, at the beginning of the file. */
  readonly mark?: LogMark;
  /** The lines that were shown before. */
  readonly shown: ShownLines;
  /** How often the log is polled, in ms. @default 1000 */
  readonly intervalMs?: number;
  onEntry(entry: PromptEntry): void;
  /** Called with the number of new lines that are not entries. */
  onSkipped(count: number): void;
}

// More lines than a log holds before it is rotated.
const REMEMBERED = 100_000;
const DEFAULT_INTERVAL_MS = 1000;

/** Remembers which lines were shown, without keeping their text. */
export class ShownLines {
  readonly #prints = new Set<string>();

  /** Adds a line; false when it was known. */
  add(line: string): boolean {
    const print = createHash('sha256').update(line.trim()).digest('base64url');
    if (this.#prints.has(print)) return false;
    this.#prints.add(print);
    const [oldest] = this.#prints;
    if (this.#prints.size > REMEMBERED && oldest !== undefined) this.#prints.delete(oldest);
    return true;
  }
}

/** Follows a log, which may not exist yet, until it is closed. */
export class LogTail {
  readonly #path: string;
  readonly #options: LogTailOptions;
  readonly #watch: DirectoryWatch;
  readonly #sink: LineSink;
  #file: LogFile | undefined;
  #hasLooked = false;
  #skipped = 0;
  #isHinted = false;
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, options: LogTailOptions) {
    this.#path = path;
    this.#options = options;
    this.#sink = { wants: () => true, take: (line) => this.#take(line) };
    this.#watch = new DirectoryWatch(dirname(path), {
      clock: systemClock,
      isWatching: true,
      name: basename(path),
      intervalMs: () => options.intervalMs ?? DEFAULT_INTERVAL_MS,
      onHint: () => this.#hint(),
    });
    this.#hint();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    await this.#work;
    await this.#file?.close();
  }

  #hint(): void {
    this.#isHinted = true;
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      if (this.#isHinted && !this.#isClosed) this.#hint();
    });
  }

  async #run(): Promise<void> {
    while (this.#isHinted && !this.#isClosed) {
      this.#isHinted = false;
      // A log that cannot be read now may be readable next time.
      await this.#look().catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const id = await readFileId(this.#path);
    await this.#pull();
    if (this.#file?.id !== id) await this.#follow();
    await this.#pull();
    this.#hasLooked = true;
  }

  /** Follows another file at the path; between two reads there may have been several. */
  async #follow(): Promise<void> {
    const old = this.#file;
    const mark = this.#hasLooked ? undefined : this.#options.mark;
    const next = await LogFile.open(this.#path, this.#sink, mark);
    this.#file = next;
    this.#skipped = 0;
    if (!old) return;
    const rotated = await Promise.all((await listSiblings(this.#path)).map(({ path }) => readFileId(path)));
    // A file that was replaced, not rotated, does not tell which of the others are new.
    if (rotated.includes(old.id)) {
      const without = [old.id, ...(next ? [next.id] : [])];
      await scanHistory(this.#path, this.#sink, { afterId: old.id, without });
    }
    await old.close();
  }

  async #pull(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    await file.pull();
    const count = file.skipped - this.#skipped;
    this.#skipped = file.skipped;
    if (count > 0) this.#options.onSkipped(count);
  }

  #take(line: string): boolean {
    const entry = parseLine(line);
    if (entry && this.#options.shown.add(line) && !this.#isClosed) this.#options.onEntry(entry);
    return entry !== undefined;
  }
}
