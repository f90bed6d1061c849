/**
 * Cuts a stream of bytes into lines.
 *
 * A line within the limit is handed over whole, whatever chunks it came in. A longer one is never kept: its bytes are
 * looked at and let go, up to its end, and the next line is read as usual.
 */
import { FrameOutline } from './frame-outline.ts';

const NEWLINE = 0x0a;

export interface LineReaderOptions {
  readonly maxLineBytes: number;
  readonly onLine: (line: Buffer) => void;
  /** A line was too long and is over; `outline` is what could be seen of it in passing. */
  readonly onOversized: (outline: unknown) => void;
}

export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  #skipped: FrameOutline | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

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
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#options.maxLineBytes) return;
    const skipped = new FrameOutline();
    for (const kept of this.#parts) skipped.scan(kept);
    this.#skipped = skipped;
    this.#parts = [];
    this.#length = 0;
  }

  #endLine(): void {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts, this.#length);
    const skipped = this.#skipped;
    this.#parts = [];
    this.#length = 0;
    this.#skipped = undefined;
    if (skipped) this.#options.onOversized(skipped.read());
    else this.#options.onLine(line);
  }
}
