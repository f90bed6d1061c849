/**
 * Keeps slow answers from being cut off.
 *
 * Clients and proxies time out on a silent response, some after 60 s. An answer that is not ready in time is therefore
 * replaced by an event stream of ours, which carries keep-alive comments until the answer follows on it.
 */
import type { Clock } from '../../clock.ts';
import { COMMENT, isEventStream, SSE_HEADERS, toFrame } from './sse-frames.ts';
import type { StreamEventIds } from './stream-event-ids.ts';

export interface Pace {
  readonly clock: Clock;
  /** How long an answer may be silent before the first comment. */
  readonly firstMs: number;
  /** The interval between comments. */
  readonly everyMs: number;
}

/** One request that is being answered by an event stream. */
export interface Exchange {
  readonly request: Request;
  readonly pace: Pace;
  /** Ends the stream early, and discards what is queued on it; a reason that is a frame is sent last. */
  readonly cut?: AbortSignal;
  /** Assigns ids to its events. */
  readonly eventIds?: StreamEventIds;
  /** Called when the client has disconnected early, or was cut off. */
  onGone(): void;
  /** Called when the reader has taken a frame. */
  onTaken?(bytes: number): void;
  /** Called when the stream has ended, for any reason. */
  onEnd?(): void;
}

/** Returns the answer if it is ready in time, else a stream that will carry it. */
export async function answerInTime(answer: Promise<Response>, exchange: Exchange): Promise<Response> {
  const early = await within(answer, exchange.pace);
  if (early) return withKeepAlive(early, exchange);
  return new Response(new LiveStream(openLate(answer), exchange, true).readable, { headers: SSE_HEADERS });
}

/** Returns the response, with comments in silent periods if it is an event stream. */
export function withKeepAlive(response: Response, exchange: Exchange): Response {
  if (!response.body || !isEventStream(response)) {
    exchange.onEnd?.();
    return response;
  }
  const { status, headers } = response;
  const source = Promise.resolve(response.body.getReader());
  // A standing stream is silent at first, and its headers leave with the first byte. A resumed stream begins with its cursor.
  const isStanding = exchange.request.method === 'GET' && !exchange.eventIds;
  return new Response(new LiveStream(source, exchange, isStanding).readable, { status, headers });
}

function within(answer: Promise<Response>, { clock, firstMs }: Pace): Promise<Response | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(firstMs, () => resolve(undefined));
    answer.then(resolve, reject).finally(stop);
  });
}

type Source = ReadableStreamDefaultReader<Uint8Array>;

/** Reads a late response as a stream: its events, or its body as one event. */
async function openLate(answer: Promise<Response>): Promise<Source> {
  const response = await answer;
  const body = isEventStream(response) ? response.body : toOneFrame(await response.text());
  return (body as ReadableStream<Uint8Array>).getReader();
}

function toOneFrame(json: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (json !== '') controller.enqueue(toFrame(json));
      controller.close();
    },
  });
}

/** Passes on a stream, sends comments while it is silent, and detects that its reader is gone. */
class LiveStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #source: Promise<Source>;
  // Keep the whole request: its signal fires only until the request is garbage-collected.
  readonly #exchange: Exchange;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stopTimer = () => {};
  #isOver = false;

  constructor(source: Promise<Source>, exchange: Exchange, speaksFirst: boolean) {
    this.#source = source;
    // The reader of the stream gets this error in `#pull`; there may be no reader.
    source.catch(() => {});
    this.#exchange = exchange;
    this.readable = new ReadableStream<Uint8Array>({
      start: (controller) => this.#start(controller, speaksFirst),
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#abort(),
    });
  }

  #start(controller: ReadableStreamDefaultController<Uint8Array>, speaksFirst: boolean): void {
    const { request, pace, cut, eventIds } = this.#exchange;
    this.#controller = controller;
    cut?.addEventListener('abort', () => this.#cut(cut.reason), { once: true });
    if (cut?.aborted) queueMicrotask(this.#abort);
    eventIds?.open((frame) => this.#sendFrame(frame));
    if (speaksFirst) this.#comment();
    else this.#stopTimer = pace.clock.after(pace.firstMs, this.#comment);
    request.signal.addEventListener('abort', this.#abort);
    // Not immediately: the stream is still being constructed.
    if (request.signal.aborted) queueMicrotask(this.#abort);
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const source = await this.#source;
      const { done, value } = await source.read();
      if (this.#isOver) return;
      if (!done) {
        this.#exchange.onTaken?.(value.byteLength);
        return controller.enqueue(this.#exchange.eventIds?.addEventId(value) ?? value);
      }
      this.#finish();
      controller.close();
    } catch (error) {
      if (this.#isOver) return;
      this.#finish();
      throw error;
    }
  }

  readonly #comment = (): void => {
    const { clock, everyMs } = this.#exchange.pace;
    // A reader that lags behind already has data to read.
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(COMMENT);
    this.#stopTimer = clock.after(everyMs, this.#comment);
  };

  #sendFrame(frame: Uint8Array): void {
    if (!this.#isOver) this.#controller?.enqueue(frame);
  }

  #cut(last: unknown): void {
    if (last instanceof Uint8Array) this.#sendFrame(last);
    this.#abort();
  }

  readonly #abort = (): void => {
    if (this.#isOver) return;
    this.#finish();
    this.#exchange.onGone();
    this.#source.then((source) => source.cancel()).catch(() => {});
    try {
      this.#controller?.close();
    } catch {
      // The reader has cancelled it.
    }
  };

  #finish(): void {
    this.#isOver = true;
    this.#stopTimer();
    this.#exchange.request.signal.removeEventListener('abort', this.#abort);
    this.#exchange.onEnd?.();
  }
}
