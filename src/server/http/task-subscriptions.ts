/**
 * `subscriptions/listen` with task ids over HTTP.
 *
 * The SDK answers the request first, so that it handles envelope, headers and its own filters: its stream is passed on,
 * with the accepted task ids added to its acknowledgement and the task notifications inserted between its messages.
 */

import type { ServedSubscriptions, Subscription } from '../../dialects/server-dialect.ts';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { refuse } from '../admission/refusals.ts';
import { ACKNOWLEDGED_METHOD } from '../sdk/listen-methods.ts';
import type { ServerParts } from '../server-parts.ts';
import { isEventStream, readMessages, SSE_HEADERS, toFrame } from '../sse/sse-frames.ts';

export interface ListenRequest {
  readonly id: string | number;
  readonly params: unknown;
  readonly principal: string;
}

/** A listen request whose buffered bytes are counted. */
export interface CountedListenRequest extends ListenRequest {
  /** Serves the part of the subscription that the SDK does not. */
  readonly subscriptions: ServedSubscriptions;
  /** Counts bytes that wait to be read; false when there are too many already. */
  hold(bytes: number): boolean;
}

// Bytes buffered for a slow client.
const MAX_WAITING = 65_536;

/** All listen streams that follow tasks. */
export class HttpTaskSubscriptions {
  readonly #parts: ServerParts;
  readonly #streams = new Set<ListenStream>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Returns the stream of a listen request. @param answer the SDK's answer to the same request */
  async serve(
    { id, params, principal, subscriptions, hold }: CountedListenRequest,
    answer: Response,
  ): Promise<Response> {
    if (!isEventStream(answer) || !answer.body) return answer;
    const inner = answer.body.getReader();
    try {
      const { port, report } = this.#parts;
      const subscription = await subscriptions.open({ id, params, principal }, port);
      const onClosed = () => this.#streams.delete(stream);
      const stream = new ListenStream({ inner, subscription, hold, onClosed });
      stream.start(report);
      this.#streams.add(stream);
      return new Response(stream.readable, { headers: SSE_HEADERS });
    } catch (error) {
      await inner.cancel();
      if (!(error instanceof RpcFailure)) throw error;
      const { code, message, data } = error;
      return refuse(code === RPC_CODES.MISSING_CLIENT_CAPABILITY ? 400 : 200, { code, message, data, id });
    }
  }

  /** Ends all streams as the protocol requires, once the SDK has ended its own. */
  async close(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.finish()));
  }
}

interface ListenStreamOptions {
  readonly inner: ReadableStreamDefaultReader<Uint8Array>;
  readonly subscription: Subscription;
  readonly hold: CountedListenRequest['hold'];
  onClosed(): void;
}

interface AckMessage {
  readonly method?: string;
  readonly params?: { readonly notifications?: object };
}

/**
 * The stream of one subscription.
 *
 * The SDK ends its part at once when it has nothing to notify of; its last message is then sent at the end of ours.
 */
class ListenStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #inner: ReadableStreamDefaultReader<Uint8Array>;
  readonly #subscription: Subscription;
  readonly #hold: (bytes: number) => boolean;
  readonly #onClosed: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #pumping: Promise<void> | undefined;
  /** Whether the SDK sends notifications too, so that its stream stays open. */
  #isShared = false;
  #last: unknown;
  #onRoom = () => {};
  #turn: Promise<void> = Promise.resolve();
  #largest = 0;
  #isClosed = false;

  constructor({ inner, subscription, hold, onClosed }: ListenStreamOptions) {
    this.#inner = inner;
    this.#subscription = subscription;
    this.#hold = hold;
    this.#onClosed = onClosed;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#onRoom(),
        cancel: () => this.#close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING }),
    );
  }

  start(report: (error: unknown) => void): void {
    this.#pumping = this.#pump().catch((error: unknown) => {
      if (!this.#isClosed) report(error);
      this.#close();
    });
  }

  /** Sends messages one after the other, each when the client can accept more: a slow reader gets fewer and newer states. */
  readonly #send = (read: () => Promise<unknown>): Promise<void> => {
    const sent = this.#turn.then(() => this.#sendNext(read));
    this.#turn = sent.catch(() => {});
    return sent;
  };

  async finish(): Promise<void> {
    if (this.#isShared) await this.#pumping;
    else this.#end();
  }

  async #sendNext(read: () => Promise<unknown>): Promise<void> {
    if (!this.#isClosed && (this.#controller?.desiredSize ?? 1) <= 0) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
    const message = this.#isClosed ? undefined : await read();
    if (message === undefined || this.#isClosed) return;
    const frame = toFrame(JSON.stringify(message));
    if (this.#holdsLargest(frame.byteLength)) this.#controller?.enqueue(frame);
    else this.#close();
  }

  /** Counts the largest frame for as long as the stream lasts: it may be in flight at any time. */
  #holdsLargest(bytes: number): boolean {
    const more = bytes - this.#largest;
    if (more <= 0) return true;
    this.#largest = bytes;
    return this.#hold(more);
  }

  #end(): void {
    if (!this.#isClosed && this.#last !== undefined) {
      this.#controller?.enqueue(toFrame(JSON.stringify(this.#last)));
    }
    this.#close();
  }

  async #pump(): Promise<void> {
    let telling: Promise<void> | undefined;
    for await (const message of readMessages(this.#inner)) {
      const { method, params } = message as AckMessage;
      if (method === ACKNOWLEDGED_METHOD) {
        this.#isShared = Object.keys(params?.notifications ?? {}).length > 0;
        await this.#send(async () => this.#subscription.acknowledge(message as object));
        telling = this.#subscription.run(this.#send);
      } else if (method === undefined) this.#last = message;
      else await this.#send(async () => message);
    }
    // The SDK's part of the stream ends when the server closes, or at once when the client subscribed to tasks only.
    if (!this.#isShared) await telling;
    this.#end();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#subscription.close();
    this.#onRoom();
    this.#inner.cancel().catch(() => {});
    try {
      this.#controller?.close();
    } catch {
      // The reader has cancelled it.
    }
    this.#onClosed();
  }
}
