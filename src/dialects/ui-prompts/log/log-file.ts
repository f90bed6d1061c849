/**
 * One file of a log, read once from its beginning and then only where it grows.
 *
 * - appended to:   the new bytes are read;
 * - cut, replaced in place or edited: it is read again from the beginning.
 *
 * The file stays open, so its inode number cannot be reused by another file, and bytes written to it just before it was
 * moved away can still be read.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openPlainFile } from '../../../process/plain-file.ts';
import { EDGE_BYTES, Fingerprint } from './fingerprint.ts';
import { LineScanner, type LineSink } from './line-scanner.ts';
import { isMarked, type LogMark, readIdentity } from './log-mark.ts';

const CHUNK_BYTES = 1024 * 1024;
const SMALL_CHUNK_BYTES = 16 * 1024;

// A file that changed so recently may change again without a new modification time.
const COARSE_TIME_MS = 2000;

// A file that is rewritten all the time is read again later.
const MAX_ROUNDS = 8;

interface Stamp {
  readonly size: number;
  readonly changed: bigint;
  readonly isFresh: boolean;
}

export class LogFile {
  /** Device and inode. */
  readonly id: string;
  readonly #file: FileHandle;
  readonly #sink: LineSink;
  #scanner: LineScanner;
  #print = new Fingerprint();
  #start = 0;
  #position = 0;
  #seen: Stamp | undefined;

  private constructor(file: FileHandle, id: string, sink: LineSink) {
    this.#file = file;
    this.id = id;
    this.#sink = sink;
    this.#scanner = new LineScanner(sink);
  }

  /** Opens a log; `undefined` when there is none. With a valid mark, the part before it is not read. */
  static async open(path: string, sink: LineSink, mark?: LogMark): Promise<LogFile | undefined> {
    const file = await openOrNot(path);
    if (file === undefined) return undefined;
    try {
      const log = new LogFile(file, (await readIdentity(file)).id, sink);
      if (mark && (await log.isMarked(mark))) await log.#startAt(mark.size);
      return log;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Where reading began. */
  get start(): number {
    return this.#start;
  }

  /** The offset of the unterminated last line; everything before it was read. */
  get boundary(): number {
    return this.#position - this.#scanner.held;
  }

  /** How many lines were not entries, since the file was last read from the beginning. */
  get skipped(): number {
    return this.#scanner.skipped;
  }

  /** Reads what is new. */
  async pull(): Promise<void> {
    let stamp = await this.#stat();
    if (this.#seen && isSame(this.#seen, stamp) && !this.#seen.isFresh) return;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (this.#isRewritten(stamp)) this.#restart();
      await this.#readOn();
      stamp = await this.#stat();
      if (!(await this.#print.holds(this.#file))) this.#restart();
      else if (stamp.size === this.#position) {
        this.#seen = stamp;
        break;
      }
    }
    this.#scanner.peek();
  }

  /** Checks an unterminated last line again, for a waiter that was added after it was read. */
  peek(): void {
    this.#scanner.peek();
  }

  /** Reads a range again, from a mark to an offset, for another sink; returns how many lines were not entries. */
  async scan(sink: LineSink, range: { readonly mark?: LogMark | undefined; readonly end: number }): Promise<number> {
    const scanner = new LineScanner(sink);
    let at = range.mark && (await this.isMarked(range.mark)) ? range.mark.size : 0;
    const buffer = Buffer.allocUnsafe(toChunkSize(range.end - at));
    while (at < range.end) {
      const { bytesRead } = await this.#file.read(buffer, 0, Math.min(buffer.length, range.end - at), at);
      if (bytesRead === 0) break;
      scanner.feed(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    scanner.end();
    return scanner.skipped;
  }

  /** Whether the file is unchanged up to the mark. */
  isMarked(mark: LogMark | undefined): Promise<boolean> {
    return isMarked(this.#file, mark);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  // An append always makes a file longer; another time at the same length means a rewrite.
  #isRewritten({ size, changed }: Stamp): boolean {
    if (size < this.#position) return true;
    return this.#seen !== undefined && size === this.#position && changed !== this.#seen.changed;
  }

  // The skipped part is sampled too: a rewrite of it moves the rest.
  async #startAt(position: number): Promise<void> {
    const length = Math.min(EDGE_BYTES, position);
    for (const at of new Set([0, position - length])) {
      const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, at);
      this.#print.note(buffer.subarray(0, bytesRead), at);
    }
    this.#start = position;
    this.#position = position;
  }

  #restart(): void {
    this.#scanner = new LineScanner(this.#sink);
    this.#print = new Fingerprint();
    this.#start = 0;
    this.#position = 0;
    this.#seen = undefined;
  }

  async #readOn(): Promise<void> {
    const { size } = await this.#stat();
    if (size <= this.#position) return;
    const buffer = Buffer.allocUnsafe(toChunkSize(size - this.#position));
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#position);
      if (bytesRead === 0) return;
      // The file may have been truncated and have grown again between two reads.
      if (!(await this.#print.holdsTail(this.#file))) return this.#restart();
      const chunk = buffer.subarray(0, bytesRead);
      this.#print.note(chunk, this.#position);
      this.#position += bytesRead;
      this.#scanner.feed(chunk);
    }
  }

  async #stat(): Promise<Stamp> {
    const { size, mtimeNs, mtimeMs } = await this.#file.stat({ bigint: true });
    return { size: Number(size), changed: mtimeNs, isFresh: Math.abs(Date.now() - Number(mtimeMs)) < COARSE_TIME_MS };
  }
}

function isSame(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.changed === b.changed;
}

function toChunkSize(bytes: number): number {
  return bytes <= SMALL_CHUNK_BYTES ? SMALL_CHUNK_BYTES : CHUNK_BYTES;
}

async function openOrNot(path: string): Promise<FileHandle | undefined> {
  try {
    // Opening a pipe in place of a log would block.
    return (await openPlainFile(path, { flags: constants.O_RDONLY, allowLink: true })).file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
