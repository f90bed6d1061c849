const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

const MAX_OUTLINE_BYTES = 4096;

/**
 * The top level of a JSON text that is too long to keep: every member, with the insides of nested values left out.
 *
 * It exists for the id. Many clients write it last, and without it the sender of an oversized request would wait for
 * an answer that names nobody.
 */
export class FrameOutline {
  readonly #kept: number[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;

  scan(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inString) this.#scanString(byte);
      else this.#scanStructure(byte);
    }
  }

  /** The outline as a value; nothing when it is no JSON or itself too long. */
  read(): unknown {
    if (this.#kept.length > MAX_OUTLINE_BYTES) return undefined;
    try {
      return JSON.parse(Buffer.from(this.#kept).toString());
    } catch {
      return undefined;
    }
  }

  #scanString(byte: number): void {
    this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #scanStructure(byte: number): void {
    if (CLOSING.has(byte)) this.#depth -= 1;
    this.#keep(byte);
    if (OPENING.has(byte)) this.#depth += 1;
    else if (byte === QUOTE) this.#inString = true;
  }

  #keep(byte: number): void {
    // One byte more than allowed is enough to know that it was too long.
    if (this.#depth <= 1 && this.#kept.length <= MAX_OUTLINE_BYTES) this.#kept.push(byte);
  }
}
