import { StringDecoder } from 'node:string_decoder';
import { type LineOutline, LineReader } from '../../../app-kit/index.ts';

/** A line of output, or the beginning of a line that is too long. */
export interface OutputLine {
  readonly text: string;
  /** Length of the whole line, in UTF-16 units. */
  readonly length: number;
}

export interface LineLimits {
  /** Longer lines, in bytes, are truncated. */
  readonly longest: number;
  /** How many UTF-16 units of a truncated line are kept. */
  readonly kept: number;
}

/** Splits output into lines of text. */
export class LineSplitter {
  readonly #reader: LineReader<OutputLine>;
  #lines: OutputLine[] = [];

  constructor({ longest, kept }: LineLimits) {
    this.#reader = new LineReader({
      maxLineBytes: longest,
      onLine: (line) => {
        const text = line.toString('utf8');
        this.#lines.push({ text, length: text.length });
      },
      onOversized: (line) => this.#lines.push(line),
      createOutline: () => new LineBeginning(kept),
    });
  }

  /** Returns the lines that end in this chunk. */
  push(chunk: Buffer): readonly OutputLine[] {
    this.#reader.push(chunk);
    return this.#take();
  }

  /** Returns the last line, if it has no line break. */
  end(): readonly OutputLine[] {
    this.#reader.end();
    return this.#take().filter(({ length }) => length > 0);
  }

  #take(): readonly OutputLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

/** Keeps the beginning of a line, and counts its length. */
class LineBeginning implements LineOutline<OutputLine> {
  readonly #decoder = new StringDecoder('utf8');
  readonly #kept: number;
  #text = '';
  #length = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  scan(bytes: Uint8Array): void {
    this.#add(this.#decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  }

  read(): OutputLine {
    this.#add(this.#decoder.end());
    return { text: this.#text, length: this.#length };
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#text.length < this.#kept) this.#text = (this.#text + text).slice(0, this.#kept);
  }
}
