/**
 * Splits a stream of bytes into lines.
 *
 * A line within the limit is passed on whole, whatever chunks it came in. A longer one is never kept: its bytes are
 * scanned and discarded up to its end, and the next line is read as usual.
 */
import { ByteCollector } from './byte-collector.ts';

const NEWLINE = 0x0a;

/** Scans a line that is too long to be kept, while it arrives. */
export interface LineOutline<Seen> {
  scan(bytes: Uint8Array): void;
  /** Returns what could be learned of the line. */
  read(): Seen;
}

/** How lines are split, and where they go. */
export interface LineReaderOptions<Seen> {
  /** Longer lines are not kept. */
  readonly maxLineBytes: number;
  readonly onLine: (line: Buffer) => void;
  /** Called when a line that was too long is over; `outline` is what the scan learned of it. */
  readonly onOversized: (outline: Seen, bytes: number) => void;
  /** Creates the scanner of an oversized line. */
  readonly createOutline: () => LineOutline<Seen>;
}

/** Splits a stream of bytes into lines, in bounded memory whatever arrives. */
export class LineReader<Seen> {
  readonly #options: LineReaderOptions<Seen>;
  readonly #kept = new ByteCollector();
  #skipped: LineOutline<Seen> | undefined;
  #skippedBytes = 0;

  constructor(options: LineReaderOptions<Seen>) {
    this.#options = options;
  }

  /** How many bytes of the current oversized line have been discarded so far. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** Adds the next bytes. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, to));
      this.#endLine();
      from = to + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** Ends the stream: bytes after the last newline are a line too. */
  end(): void {
    this.#endLine();
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#skipped) {
      this.#skipped.scan(part);
      this.#skippedBytes += part.length;
      return;
    }
    this.#kept.add(part);
    if (this.#kept.length <= this.#options.maxLineBytes) return;
    this.#skippedBytes = this.#kept.length;
    this.#skipped = this.#options.createOutline();
    this.#skipped.scan(this.#kept.take());
  }

  #endLine(): void {
    const line = this.#kept.take();
    const skipped = this.#skipped;
    const skippedBytes = this.#skippedBytes;
    this.#skipped = undefined;
    this.#skippedBytes = 0;
    if (skipped) this.#options.onOversized(skipped.read(), skippedBytes);
    else this.#options.onLine(line);
  }
}
