/**
 * The read buffer for messages of a server on stdio, with the interface that the SDK's transport expects.
 *
 * A line that is too long is never buffered: it is skipped to its end, and the request that waits for it gets an error. A line
 * that does not end within `HOST_SKIPPED_TIMES` times the limit breaks the connection, because nothing can follow it.
 */
import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { LineReader } from '../../dialects/shared/bytes/line-reader.ts';
import { HOST_SKIPPED_TIMES } from '../../limits.ts';
import { readAnswered, tooLargeError, toTooLargeReply } from './too-large.ts';
import { findWide, MIN_WIDE } from './too-wide.ts';

export interface AnswerBufferOptions {
  readonly maxAnswerBytes: number;
  /** Called with the error when a skipped message was not a response. */
  report(error: unknown): void;
}

export class AnswerBuffer {
  readonly #options: AnswerBufferOptions;
  readonly #reader: LineReader<unknown>;
  #ready: (Buffer | JSONRPCMessage)[] = [];
  #next = 0;
  #isBroken = false;

  constructor(options: AnswerBufferOptions) {
    this.#options = options;
    this.#reader = new LineReader({
      maxLineBytes: options.maxAnswerBytes,
      onLine: (line) => void this.#ready.push(line),
      onOversized: (outline, bytes) => this.#replace(outline, bytes),
      createOutline: () => new FrameOutline(),
    });
  }

  /** Throws once when nothing more can be read. */
  append(chunk: Buffer): void {
    if (this.#isBroken) return;
    this.#reader.push(chunk);
    const { maxAnswerBytes: maxBytes } = this.#options;
    const bytes = this.#reader.skippedBytes;
    if (bytes <= HOST_SKIPPED_TIMES * maxBytes) return;
    this.#isBroken = true;
    throw tooLargeError({ bytes, maxBytes, isWhole: false });
  }

  /** Returns the next message, or `null`; throws for a line that is JSON but no message. */
  readMessage(): JSONRPCMessage | null {
    for (;;) {
      const ready = this.#ready[this.#next];
      if (ready === undefined) {
        this.clear();
        return null;
      }
      this.#next += 1;
      const message = Buffer.isBuffer(ready) ? this.#parse(ready.toString('utf8')) : ready;
      if (message) return message;
    }
  }

  clear(): void {
    this.#ready = [];
    this.#next = 0;
  }

  #parse(line: string): JSONRPCMessage | undefined {
    const wide = line.length < MIN_WIDE ? undefined : findWide(line);
    if (!wide) return parseLine(line);
    if (!wide.instead) this.#options.report(wide.error);
    return wide.instead;
  }

  #replace(outline: unknown, bytes: number): void {
    const answer = { bytes, maxBytes: this.#options.maxAnswerBytes };
    const id = readAnswered(outline);
    if (id === undefined) this.#options.report(tooLargeError(answer));
    else this.#ready.push(toTooLargeReply(id, answer));
  }
}

/** Returns `undefined` for a line that is not JSON: servers print all kinds of things. */
function parseLine(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
