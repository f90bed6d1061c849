import { StringDecoder } from 'node:string_decoder';

/** A line of output, or the beginning of one that is too long to be kept. */
export interface OutputLine {
  readonly text: string;
  /** How long it was, in UTF-16 units. */
  readonly length: number;
}

export interface LineLimits {
  /** Longer lines are not kept whole. */
  readonly longest: number;
  /** How much is kept of those. */
  readonly kept: number;
}

/** Cuts bytes into lines, in bounded memory whatever comes. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limits: LineLimits;
  #parts: string[] = [];
  #length = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** The lines that end in this chunk. */
  *push(chunk: Buffer): Generator<OutputLine> {
    yield* this.#split(this.#decoder.write(chunk));
  }

  /** The last line, which has no end. */
  *end(): Generator<OutputLine> {
    yield* this.#split(this.#decoder.end());
    if (this.#length > 0) yield this.#take();
  }

  *#split(text: string): Generator<OutputLine> {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#add(text.slice(from, at));
      yield this.#take();
      from = at + 1;
    }
    this.#add(text.slice(from));
  }

  #add(text: string): void {
    if (text === '') return;
    const wasTooLong = this.#length > this.#limits.longest;
    this.#length += text.length;
    if (wasTooLong) return;
    this.#parts.push(text);
    if (this.#length > this.#limits.longest) this.#parts = [this.#parts.join('').slice(0, this.#limits.kept)];
  }

  #take(): OutputLine {
    const text = this.#parts.join('');
    const line = { text, length: this.#length };
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
