/**
 * Reads the messages of one connection: one per line as MCP specifies, or each after a `Content-Length` header, as some
 * clients try when they got no answer. The first bytes decide for good, and answers use the same form.
 */
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { FramedReader } from './framed-reader.ts';

export type MessageForm = 'line' | 'framed';

export interface MessageReaderOptions {
  readonly maxBytes: number;
  readonly onMessage: (message: Buffer) => void;
  /** Called at the end of an oversized message; `outline` is what could be read of it in passing. */
  readonly onOversized: (outline: unknown) => void;
  /** Called for input that is not a message, so its sender's request is unknown. */
  readonly onFault: (why: string) => void;
}

const HEADER = 'content-';
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20]);

export class MessageReader {
  readonly #options: MessageReaderOptions;
  #reader: LineReader<unknown> | FramedReader | undefined;
  /** The beginning of a possible header. */
  #begun: Buffer = Buffer.alloc(0);
  #form: MessageForm = 'line';

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  /** The form of answers; lines until the first message shows otherwise. */
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

/** Whitespace before the first message is ignored in both forms. */
function skipBlanks(bytes: Buffer): Buffer {
  const from = bytes.findIndex((byte) => !BLANK.has(byte));
  return from === -1 ? bytes.subarray(bytes.length) : bytes.subarray(from);
}

/** Encodes a message in this form. */
export function encodeMessage(text: string, form: MessageForm): Buffer {
  if (form === 'line') return Buffer.from(`${text}\n`);
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
