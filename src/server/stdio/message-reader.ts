/**
 * Reads the messages of one connection: one per line as MCP has it, or each behind a `Content-Length` header as some
 * clients try when they got no answer. The first bytes decide for good, and answers take the same form.
 */
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { FramedReader } from './framed-reader.ts';

export type MessageForm = 'line' | 'framed';

export interface MessageReaderOptions {
  readonly maxBytes: number;
  readonly onMessage: (message: Buffer) => void;
  /** A message was too long and is over; `outline` is what could be seen of it in passing. */
  readonly onOversized: (outline: unknown) => void;
  /** What came is no message, and nobody knows whose. */
  readonly onFault: (why: string) => void;
}

const HEADER = 'content-';
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20]);

export class MessageReader {
  readonly #options: MessageReaderOptions;
  #reader: LineReader<unknown> | FramedReader | undefined;
  /** The beginning of what may become a header. */
  #begun: Buffer = Buffer.alloc(0);
  #form: MessageForm = 'line';

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  /** How answers are written; lines until something else has come. */
  get form(): MessageForm {
    return this.#form;
  }

  push(chunk: Buffer): void {
    if (this.#reader) this.#reader.push(chunk);
    else this.#decide(chunk);
  }

  #decide(chunk: Buffer): void {
    const begun = skipBlanks(Buffer.concat([this.#begun, chunk]));
    const start = begun.subarray(0, HEADER.length).toString('latin1').toLowerCase();
    const isOpen = start.length < HEADER.length && HEADER.startsWith(start);
    if (isOpen) this.#begun = begun;
    else this.#open(start === HEADER, begun);
  }

  end(): void {
    if (!this.#reader) this.#open(false, this.#begun);
    this.#reader?.end();
  }

  #open(isFramed: boolean, first: Buffer): void {
    const { maxBytes, onMessage, onOversized, onFault } = this.#options;
    this.#form = isFramed ? 'framed' : 'line';
    this.#reader = isFramed
      ? new FramedReader({ maxBytes, onBody: onMessage, onOversized, onFault })
      : new LineReader({
          maxLineBytes: maxBytes,
          onLine: onMessage,
          onOversized,
          createOutline: () => new FrameOutline(),
        });
    this.#reader.push(first);
  }
}

/** What is blank before the first message means nothing in either form. */
function skipBlanks(bytes: Buffer): Buffer {
  const from = bytes.findIndex((byte) => !BLANK.has(byte));
  return from === -1 ? bytes.subarray(bytes.length) : bytes.subarray(from);
}

/** A message as it is written in this form. */
export function toWritten(text: string, form: MessageForm): Buffer {
  if (form === 'line') return Buffer.from(`${text}\n`);
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
