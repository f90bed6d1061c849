/**
 * MCP over stdio: one JSON-RPC message per line, or each after a `Content-Length` header for a client that begins with
 * one.
 *
 * - reading: every message is delivered, refused with an error response, or reported through `onerror`; none ends the
 *            connection, and none is lost because of the one before.
 * - writing: a message is never split over two writes, so frames never interleave. When the client does not read,
 *            `send` waits, and beyond a limit no further requests are read.
 * - closed:  stdin ended, stdout broke, or `close` was called. `onclose` has been called once; nothing more is
 *            delivered.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  INTERNAL_ERROR,
  type JSONRPCMessage,
  type MessageExtraInfo,
  PARSE_ERROR,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import { MAX_LINE_BYTES, MAX_QUEUED_BYTES } from '../../limits.ts';
import { DEFAULT_FRAME_LIMITS, type FrameLimits } from '../frames/frame-shape.ts';
import { parseFrame, type Refusal, refuseOversized, toRefusal } from '../frames/parse-frame.ts';
import { FrameQueue } from './frame-queue.ts';
import { encodeMessage, MessageReader } from './message-reader.ts';
import { guardStdout } from './stdout-guard.ts';

export interface StdioTransportOptions {
  /** Where messages are read from. @default process.stdin */
  readonly input?: Readable;
  /**
   * Where messages are written.
   *
   * @default the real stdout, from then on guarded for the life of the process: nothing else may be written there
   */
  readonly output?: Writable;
  /** Input that was already read elsewhere, and is processed first. @default nothing */
  readonly early?: Buffer;
  /** A longer line is skipped and refused, to protect the memory. @default 10_485_760 */
  readonly maxLineBytes?: number;
  /** Limits on the contents of a line; one beyond them is refused before it is parsed. @default that of `messageLimits` */
  readonly limits?: FrameLimits;
  /** Called with every message before the SDK; true means that it has been handled. */
  readonly intercept?: (message: JSONRPCMessage) => boolean;
}

interface FrameSink {
  write(frame: Buffer, callback: (error?: Error | null) => void): unknown;
  /** Writes queued frames now, if the sink queues any. */
  flush?(): void;
}

const FLUSH_MS = 1000;

/** Error codes of a peer that disconnected: the end, not a failure. */
const DISCONNECT_CODES = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Called once, after `onclose`; the SDK sets the other three callbacks, but not this one. */
  onended?: (() => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  readonly #options: StdioTransportOptions;
  readonly #input: Readable;
  readonly #reader: MessageReader;
  #sink: FrameSink | undefined;
  #queuedBytes = 0;
  #onFlushed: (() => void) | undefined;
  #closed = false;

  constructor(options: StdioTransportOptions = {}) {
    const { maxLineBytes = MAX_LINE_BYTES } = options;
    if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
      throw invalidField('maxLineBytes', maxLineBytes, 'a whole number from 1 up');
    }
    this.#options = options;
    this.#input = options.input ?? process.stdin;
    this.#reader = new MessageReader({
      maxBytes: maxLineBytes,
      onMessage: (line) => this.#take(line),
      onOversized: (outline) => this.#refuse(refuseOversized(outline, maxLineBytes)),
      onFault: (why) => this.#refuse(toRefusal(null, { code: PARSE_ERROR, message: `Parse error: ${why}` })),
    });
  }

  async start(): Promise<void> {
    if (this.#sink) throw new SdkError(SdkErrorCode.AlreadyConnected, 'the stdio transport has been started already');
    this.#sink = this.#openSink();
    const input = this.#input;
    input.on('error', this.#onStreamError);
    if (this.#options.early) this.#onData(this.#options.early);
    if (this.#closed) return;
    if (input.readableEnded || input.destroyed) {
      setImmediate(this.#onInputEnd);
      return;
    }
    input.on('data', this.#onData);
    input.on('end', this.#onInputEnd);
    input.on('close', this.#onInputEnd);
    // An earlier reader may have paused it.
    input.resume();
  }

  /** Resolves when the frame has been written; rejects when it never will be. */
  async send(message: JSONRPCMessage): Promise<void> {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (cause) {
      if ('id' in message && message.id !== undefined && !('method' in message)) {
        const fault = { code: INTERNAL_ERROR, message: 'Internal error: the result has no JSON form' };
        await this.#write(JSON.stringify(toRefusal(message.id, fault)));
      }
      throw new TaskError('RESULT_NOT_SERIALIZABLE', 'the message has no JSON form', { cause });
    }
    await this.#write(text);
  }

  /** Stops reading, and gives sent messages a moment to be flushed. */
  async close(): Promise<void> {
    this.#end();
    if (this.#queuedBytes === 0) return;
    const flushed = new Promise<void>((resolve) => {
      this.#onFlushed = resolve;
    });
    await Promise.race([flushed, pause(FLUSH_MS, undefined, { ref: false })]);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  };

  readonly #onInputEnd = (): void => {
    this.#stopReading();
    this.#reader.end();
    // Requests in the last lines are still answered if they need no waiting, as in `echo … | server`.
    setImmediate(() => this.#end());
  };

  // Never removed from the streams: a failure after the end must not become an uncaught exception.
  readonly #onStreamError = (error: NodeJS.ErrnoException): void => {
    if (this.#closed) return;
    if (!DISCONNECT_CODES.has(error.code ?? '')) this.onerror?.(error);
    this.#end();
  };

  #openSink(): FrameSink {
    const { output } = this.#options;
    if (!output) return new FrameQueue(guardStdout());
    output.on('error', this.#onStreamError);
    output.on('close', () => this.#end());
    return output;
  }

  #take(line: Buffer): void {
    // A handler of one message may close the connection while more lines of the same chunk are pending.
    if (this.#closed) return;
    const frame = parseFrame(line, this.#options.limits ?? DEFAULT_FRAME_LIMITS);
    if (frame?.kind === 'message') this.#deliver(frame.message);
    else if (frame?.kind === 'refused') this.#refuse(frame.refusal);
    else if (frame?.kind === 'dropped') this.onerror?.(new Error(`dropped ${frame.reason}`));
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      if (this.#options.intercept?.(message)) return;
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if ('method' in message && 'id' in message) {
        this.#refuse(toRefusal(message.id, { code: INTERNAL_ERROR, message: 'Internal error' }));
      }
    }
  }

  #refuse(refusal: Refusal): void {
    if (this.#closed) return;
    // A failed write has closed the connection, and was reported.
    this.#write(JSON.stringify(refusal)).catch(() => {});
  }

  #write(text: string): Promise<void> {
    const sink = this.#sink;
    if (!sink || this.#closed) return Promise.reject(connectionClosedError());
    const frame = encodeMessage(text, this.#reader.form);
    this.#hold(frame.length);
    return new Promise<void>((resolve, reject) => {
      sink.write(frame, (error) => {
        this.#release(frame.length);
        if (!error) return resolve();
        this.#onStreamError(error);
        reject(connectionClosedError(error));
      });
    });
  }

  #hold(bytes: number): void {
    this.#queuedBytes += bytes;
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#input.pause();
  }

  #release(bytes: number): void {
    const wasFull = this.#queuedBytes > MAX_QUEUED_BYTES;
    this.#queuedBytes -= bytes;
    if (this.#queuedBytes === 0) this.#onFlushed?.();
    if (wasFull && this.#queuedBytes <= MAX_QUEUED_BYTES && !this.#closed) this.#input.resume();
  }

  #stopReading(): void {
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onInputEnd);
    this.#input.off('close', this.#onInputEnd);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    // Flush now: a listener may exit the process at once.
    this.#sink?.flush?.();
    this.#stopReading();
    // An open stdin without a reader must not keep the process alive.
    if (this.#input.listenerCount('data') === 0) this.#input.pause();
    try {
      this.onclose?.();
    } finally {
      this.onended?.();
    }
  }
}

function connectionClosedError(cause?: Error): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, 'the stdio connection is closed', undefined, { cause });
}
