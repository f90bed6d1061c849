/**
 * Splits a stream of bytes into messages that follow a header with their length:
 *
 *     Content-Length: 46\r\n
 *     \r\n
 *     {"jsonrpc":"2.0", …}
 *
 * - header: lines are collected up to the empty one, within the size limit of a header.
 * - body:   as many bytes as the header announced; a body beyond the size limit is scanned and discarded.
 * - lost:   a header was unusable, so the start of the next message is unknown. Input is discarded up to a line that
 *           ends with a usable length, which may follow a body directly.
 */
import { ByteCollector } from '../../dialects/shared/bytes/byte-collector.ts';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { MAX_HEADER_BYTES, MAX_SKIPPED_BYTES } from '../../limits.ts';

const NEWLINE = 0x0a;
const LENGTH = /^content-length[ \t]*:(.*)$/i;
const LENGTH_AT_END = /content-length[ \t]*:[ \t]*(\d{1,16})[ \t]*$/i;
const DIGITS = /^\d{1,16}$/;

export interface FramedReaderOptions {
  readonly maxBytes: number;
  readonly onBody: (body: Buffer) => void;
  /** Called at the end of an oversized message; `outline` is what could be read of it in passing. */
  readonly onOversized: (outline: unknown) => void;
  /** Called when a header is invalid, or the stream ends within a message. */
  readonly onFault: (why: string) => void;
}

export class FramedReader {
  readonly #options: FramedReaderOptions;
  readonly #kept = new ByteCollector();
  #header = new Header();
  /** Remaining bytes of the body; undefined while a header is read. */
  #missing: number | undefined;
  #skipped: FrameOutline | undefined;
  #isLost = false;

  constructor(options: FramedReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#missing === undefined ? this.#readHeader(rest) : this.#readBody(rest);
  }

  /** Ends the stream: an incomplete message is a fault. */
  end(): void {
    const isCut = this.#missing !== undefined || (!this.#isLost && (this.#kept.length > 0 || this.#header.bytes > 0));
    if (isCut) this.#options.onFault('the stream ended within a message');
  }

  #readHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(NEWLINE);
    const part = end === -1 ? chunk : chunk.subarray(0, end);
    if (this.#header.bytes + this.#kept.length + part.length > MAX_HEADER_BYTES) {
      this.#lose(`a header may be ${MAX_HEADER_BYTES} bytes long at most`);
      // The end of a long line may be the header of the next message.
      const tail = Buffer.concat([this.#kept.take(), part]);
      this.#kept.add(Buffer.from(tail.subarray(-MAX_LENGTH_LINE)));
    } else this.#kept.add(part);
    if (end === -1) return EMPTY;
    this.#endLine(this.#kept.take().toString('latin1').replace(/\r$/, ''));
    return chunk.subarray(end + 1);
  }

  #endLine(line: string): void {
    if (this.#isLost) this.#find(line);
    else if (line !== '') this.#header.add(line);
    // Empty lines between messages are tolerated.
    else if (this.#header.bytes > 0) this.#endHeader();
  }

  #endHeader(): void {
    const length = this.#header.readLength();
    this.#header = new Header();
    if (typeof length === 'string') this.#lose(length);
    else this.#begin(length);
  }

  #find(line: string): void {
    const [, digits] = LENGTH_AT_END.exec(line) ?? [];
    if (digits === undefined || Number(digits) > MAX_SKIPPED_BYTES) return;
    this.#isLost = false;
    this.#header.add(`content-length:${digits}`);
  }

  #lose(why: string): void {
    this.#header = new Header();
    if (!this.#isLost) this.#options.onFault(why);
    this.#isLost = true;
  }

  #begin(length: number): void {
    this.#missing = length;
    if (length > this.#options.maxBytes) this.#skipped = new FrameOutline();
    if (length === 0) this.#endBody();
  }

  #readBody(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#missing);
    if (this.#skipped) this.#skipped.scan(part);
    else this.#kept.add(part);
    this.#missing = (this.#missing ?? 0) - part.length;
    if (this.#missing === 0) this.#endBody();
    return chunk.subarray(part.length);
  }

  #endBody(): void {
    const body = this.#kept.take();
    const skipped = this.#skipped;
    this.#missing = undefined;
    this.#skipped = undefined;
    if (skipped) this.#options.onOversized(skipped.read());
    else this.#options.onBody(body);
  }
}

const EMPTY = Buffer.alloc(0);
const MAX_LENGTH_LINE = 64;

/** The header lines of one message. */
class Header {
  readonly #lengths: string[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(line: string): void {
    this.#bytes += line.length + 1;
    const [, value] = LENGTH.exec(line) ?? [];
    if (value !== undefined) this.#lengths.push(value.trim());
  }

  /** Returns the announced length, or why it is unusable. */
  readLength(): number | string {
    const [length, ...others] = this.#lengths;
    if (length === undefined) return 'the header has no Content-Length';
    if (others.length > 0) return 'the header has more than one Content-Length';
    if (!DIGITS.test(length)) return 'Content-Length must be a whole number from 0 up';
    const bytes = Number(length);
    return bytes <= MAX_SKIPPED_BYTES ? bytes : `Content-Length may be ${MAX_SKIPPED_BYTES} at most`;
  }
}
