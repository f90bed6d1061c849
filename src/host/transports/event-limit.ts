/**
 * Limits the length of each event in a stream of server-sent events.
 *
 * Events are passed on whole. An event that is too long is skipped to its end and replaced by an error for the request that waits
 * for it. All line ends become line feeds here: the parser that follows takes quadratic time on carriage returns.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { ByteCollector } from '../../dialects/shared/bytes/byte-collector.ts';
import { FrameOutline } from '../../dialects/shared/bytes/frame-outline.ts';
import { HOST_SKIPPED_TIMES } from '../../limits.ts';
import { type OversizedAnswer, readAnswered, tooLargeError, toTooLargeReply } from './too-large.ts';
import { findWide } from './too-wide.ts';

export interface EventLimitOptions {
  readonly maxAnswerBytes: number;
  /** Returns the id of the request whose response is on this stream; `undefined` on a stream that answers none. */
  findRequest(): string | number | undefined;
  report(error: unknown): void;
}

const [LF, CR] = [0x0a, 0x0d];

/** Returns the limit as a transform stream between the body of a response and its reader. */
export function limitEvents(options: EventLimitOptions): TransformStream<Uint8Array, Uint8Array> {
  let limit: EventLimit;
  return new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      limit = new EventLimit(options, {
        write: (bytes) => controller.enqueue(bytes),
        end: () => controller.terminate(),
      });
    },
    transform: (chunk) => limit.push(chunk),
    flush: () => limit.flush(),
  });
}

interface Sink {
  write(bytes: Uint8Array): void;
  end(): void;
}

class EventLimit {
  readonly #options: EventLimitOptions;
  readonly #sink: Sink;
  /** Complete events that were not passed on yet. */
  #ready: Uint8Array[] = [];
  /** The bytes of the next event so far. */
  readonly #kept = new ByteCollector();
  #length = 0;
  #skipped: FrameOutline | undefined;
  #isLineStart = true;
  #isAfterReturn = false;
  #isOver = false;

  constructor(options: EventLimitOptions, sink: Sink) {
    this.#options = options;
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#toLineFeeds(chunk);
    let from = 0;
    let lineStart = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, lineStart)) {
      const isBlank = at === lineStart && (lineStart > 0 || this.#isLineStart);
      lineStart = at + 1;
      if (!isBlank) continue;
      this.#add(bytes.subarray(from, lineStart));
      this.#endEvent();
      from = lineStart;
    }
    this.#add(bytes.subarray(from));
    if (bytes.length > 0) this.#isLineStart = lineStart === bytes.length;
    this.#forward();
  }

  /** Passes on what follows the last complete event; it is part of no event. */
  flush(): void {
    this.#endEvent();
    this.#forward();
  }

  #forward(): void {
    if (this.#ready.length > 0) this.#sink.write(Buffer.concat(this.#ready));
    this.#ready = [];
    if (this.#isOver) this.#sink.end();
  }

  #add(part: Uint8Array): void {
    const { maxAnswerBytes } = this.#options;
    if (this.#isOver || part.length === 0) return;
    this.#length += part.length;
    if (this.#skipped) this.#skipped.scan(part);
    else this.#kept.add(part);
    if (!this.#skipped && this.#length > maxAnswerBytes) this.#skip();
    if (this.#length <= HOST_SKIPPED_TIMES * maxAnswerBytes) return;
    this.#isOver = true;
    this.#replace(this.#options.findRequest(), { isWhole: false });
  }

  #skip(): void {
    this.#skipped = new FrameOutline();
    this.#skipped.scan(this.#kept.take());
  }

  #endEvent(): void {
    if (this.#isOver) return;
    if (this.#skipped) {
      const outline = this.#skipped.read(toData);
      // An event that cannot be parsed is taken for the response: only one request reads this stream.
      const isUnclear = outline === undefined;
      this.#replace(isUnclear ? this.#options.findRequest() : readAnswered(outline), { isWhole: true });
    } else {
      this.#endKept(this.#kept.take());
    }
    this.#length = 0;
    this.#skipped = undefined;
  }

  #endKept(event: Uint8Array): void {
    const wide = findWide(toData(Buffer.from(event).toString('utf8')));
    if (!wide) this.#ready.push(event);
    else if (wide.instead) this.#ready.push(toEvent(wide.instead));
    else this.#options.report(wide.error);
  }

  #replace(id: string | number | undefined, { isWhole }: { readonly isWhole: boolean }): void {
    const answer: OversizedAnswer = { bytes: this.#length, maxBytes: this.#options.maxAnswerBytes, isWhole };
    if (id === undefined) this.#options.report(tooLargeError(answer));
    else this.#ready.push(toEvent(toTooLargeReply(id, answer)));
  }

  #toLineFeeds(chunk: Uint8Array): Uint8Array {
    if (!this.#isAfterReturn && !chunk.includes(CR)) return chunk;
    const bytes = new Uint8Array(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const isSecondHalf = byte === LF && this.#isAfterReturn;
      this.#isAfterReturn = byte === CR;
      if (isSecondHalf) continue;
      bytes[length] = byte === CR ? LF : byte;
      length += 1;
    }
    return bytes.subarray(0, length);
  }
}

function toEvent(message: JSONRPCMessage): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(message)}\n\n`);
}

/** Returns the data of an event without its field names. */
function toData(event: string): string {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length)).join('\n');
}
