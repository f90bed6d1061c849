const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d];

const MAX_OUTLINE_BYTES = 4096;

/**
 * The top level of a JSON text that is too long to keep: every member, without the content of nested values.
 *
 * It exists for the id. Many clients write it last, and without it the sender of an oversized request would wait for an
 * answer that names no request.
 */
export class FrameOutline {
  readonly #kept: number[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;

  scan(bytes: Uint8Array): void {
    // An indexed loop is many times faster here, and a line without end is scanned for as long as it arrives.
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.#inString) this.#scanString(byte);
      else this.#scanStructure(byte);
    }
  }

  /** Parses the outline, taken out of its envelope by `unwrap`; undefined when it is not JSON or itself too long. */
  read(unwrap: (text: string) => string = (text) => text): unknown {
    if (this.#kept.length > MAX_OUTLINE_BYTES) return undefined;
    try {
      return JSON.parse(unwrap(Buffer.from(this.#kept).toString()));
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
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth -= 1;
    this.#keep(byte);
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === QUOTE) this.#inString = true;
  }

  #keep(byte: number): void {
    // One byte beyond the limit is enough to know that the outline is too long.
    if (this.#depth <= 1 && this.#kept.length <= MAX_OUTLINE_BYTES) this.#kept.push(byte);
  }
}
