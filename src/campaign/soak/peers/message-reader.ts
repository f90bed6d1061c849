import { isObject } from '../../../is-object.ts';
import { MAX_LINE_BYTES } from '../../../limits.ts';
import type { Json } from '../../../task/json.ts';
import type { JsonObject } from './connection.ts';

const NEWLINE = 10;
const HEADER = /^content-length:\s*(\d+)\s*$/i;

/**
 * Extracts messages from a server's stdout: JSON lines, and JSON after a `Content-Length` header.
 *
 * Anything else is skipped. Data beyond the size limit of a message is discarded, so that a server cannot fill the memory of the
 * measuring process.
 */
export class MessageReader {
  #buffer: Buffer = Buffer.alloc(0);
  /** Size in bytes of the announced framed message; `isOpen` while its header continues. */
  #frame: { readonly bytes: number; isOpen: boolean } | undefined;

  read(chunk: Buffer): JsonObject[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const messages: JsonObject[] = [];
    for (let text = this.#next(); text !== undefined; text = this.#next()) {
      const message = parse(text);
      if (message) messages.push(message);
    }
    if (this.#buffer.length > MAX_LINE_BYTES) this.#buffer = Buffer.alloc(0);
    return messages;
  }

  /** Returns the next line or frame; undefined while it is incomplete. */
  #next(): string | undefined {
    if (this.#frame?.isOpen === false) return this.#takeFrame(this.#frame.bytes);
    const end = this.#buffer.indexOf(NEWLINE);
    if (end === -1) return undefined;
    const line = this.#take(end + 1).trim();
    const [, bytes] = HEADER.exec(line) ?? [];
    if (bytes !== undefined) this.#frame = { bytes: Number(bytes), isOpen: true };
    else if (line === '' && this.#frame) this.#frame.isOpen = false;
    return line;
  }

  #takeFrame(bytes: number): string | undefined {
    if (bytes > MAX_LINE_BYTES) {
      this.#frame = undefined;
      return '';
    }
    if (this.#buffer.length < bytes) return undefined;
    this.#frame = undefined;
    return this.#take(bytes);
  }

  #take(bytes: number): string {
    const text = this.#buffer.subarray(0, bytes).toString('utf8');
    this.#buffer = this.#buffer.subarray(bytes);
    return text;
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject<Json>(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
