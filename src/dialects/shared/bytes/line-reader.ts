/**
 * Cuts a stream of bytes into lines.
 *
 * A line within the limit is handed over whole, whatever chunks it came in. A longer one is never kept: its bytes are
 * looked at and let go, up to its end, and the next line is read as usual.
 */
import { ByteCollector } from './byte-collector.ts';

const NEWLINE = 0x0a;

/** Looks at a line that is too long to be kept, as it goes by. */
export interface LineOutline<Seen> {
  scan(bytes: Uint8Array): void;
  /** What could be seen of it. */
  read(): Seen;
}

/** How lines are cut, and what becomes of them. */
export interface LineReaderOptions<Seen> {
  /** A longer line is not kept. */
  readonly maxLineBytes: number;
  readonly onLine: (line: Buffer) => void;
  /** A line was too long and is over; `outline` is what could be seen of it in passing. */
  readonly onOversized: (outline: Seen, bytes: number) => void;
  /** How such a line is looked at. */
  readonly createOutline: () => LineOutline<Seen>;
}

/** Cuts a stream of bytes into lines, in bounded memory whatever comes. */
export class LineReader<Seen> {
  readonly #options: LineReaderOptions<Seen>;
  readonly #kept = new ByteCollector();
  #skipped: LineOutline<Seen> | undefined;
  #skippedBytes = 0;

  constructor(options: LineReaderOptions<Seen>) {
    this.#options = options;
  }

  /** How much of a line that is too long has been let go so far. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, to));
      this.#endLine();
      from = to + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** The stream is over: what came after the last newline is a line too. */
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
