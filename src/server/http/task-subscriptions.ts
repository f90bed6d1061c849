/**
 * `subscriptions/listen` with task ids over HTTP.
 *
 * The SDK answers the request first, so that envelope, headers and its own filters are its business: its stream is
 * passed on, with the accepted task ids put into its acknowledgement and the news of the tasks among its messages.
 */
import { RpcFailure } from '../../dialects/rpc-failure.ts';
import {
  ACKNOWLEDGED_METHOD,
  findTasks,
  LISTEN_METHOD,
  parseTaskFilter,
  TaskSubscription,
  withTaskIds,
} from '../../dialects/tasks-2026/subscription.ts';
import type { Task } from '../../task/record.ts';
import type { ServerParts } from '../server-parts.ts';
import { isEventStream, readMessages, SSE_HEADERS, toFrame } from '../sse/sse-frames.ts';
import { refuse } from './refusals.ts';

export interface ListenRequest {
  readonly id: string | number;
  readonly params: unknown;
  readonly principal: string;
}

/** A request whose stream is counted by what it holds. */
export interface HeldListen extends ListenRequest {
  /** Counts bytes that wait to be read; false when too many do already. */
  hold(bytes: number): boolean;
}

// Bytes that are read ahead of a slow client.
const MAX_WAITING = 65_536;

/** Whether a body is a listen request that names tasks. */
export function asksForTasks(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { notifications?: { taskIds?: unknown } } };
  return method === LISTEN_METHOD && params?.notifications?.taskIds !== undefined;
}

/** The listen streams that follow tasks. */
export class HttpTaskListening {
  readonly #parts: ServerParts;
  readonly #streams = new Set<ListenStream>();

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** @param answer what the SDK makes of the same request */
  async serve({ id, params, principal, hold }: HeldListen, answer: Response): Promise<Response> {
    if (!isEventStream(answer) || !answer.body) return answer;
    const inner = answer.body.getReader();
    try {
      const { taskIds, capabilities } = parseTaskFilter(params);
      const engine = await this.#parts.openEngine();
      const tasks = await findTasks(engine, principal, taskIds);
      const { report } = this.#parts;
      // Their results are not kept for as long as the stream lasts.
      const names = tasks.map(({ taskId }) => ({ taskId, principal }));
      const onClosed = () => this.#streams.delete(stream);
      const stream = new ListenStream({ inner, tasks: names, hold, onClosed });
      const { send } = stream;
      stream.start(
        new TaskSubscription({ engine, subscriptionId: id, tasks: names, capabilities, send, report }),
        report,
      );
      this.#streams.add(stream);
      return new Response(stream.readable, { headers: SSE_HEADERS });
    } catch (error) {
      await inner.cancel();
      if (!(error instanceof RpcFailure)) throw error;
      const { code, message, data } = error;
      return refuse(code === -32021 ? 400 : 200, { code, message, data, id });
    }
  }

  /** Ends all streams in the words of the protocol, once the SDK has ended its own. */
  async close(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.finish()));
  }
}

interface ListenStreamOptions {
  readonly inner: ReadableStreamDefaultReader<Uint8Array>;
  readonly tasks: readonly Pick<Task, 'taskId'>[];
  readonly hold: HeldListen['hold'];
  onClosed(): void;
}

interface AckMessage {
  readonly method?: string;
  readonly params?: { readonly notifications?: object };
}

/**
 * The stream of one subscription.
 *
 * The SDK ends its part at once when it has nothing to tell; its last message is then kept for the end of ours.
 */
class ListenStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #inner: ReadableStreamDefaultReader<Uint8Array>;
  readonly #tasks: readonly Pick<Task, 'taskId'>[];
  readonly #hold: (bytes: number) => boolean;
  readonly #onClosed: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #subscription: TaskSubscription | undefined;
  #pumping: Promise<void> | undefined;
  /** The SDK has something to tell too, and its stream lasts. */
  #isShared = false;
  #last: unknown;
  #onRoom = () => {};
  #turn: Promise<void> = Promise.resolve();
  #largest = 0;
  #isClosed = false;

  constructor({ inner, tasks, hold, onClosed }: ListenStreamOptions) {
    this.#inner = inner;
    this.#tasks = tasks;
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

  start(subscription: TaskSubscription, report: (error: unknown) => void): void {
    this.#subscription = subscription;
    this.#pumping = this.#pump(subscription).catch((error: unknown) => {
      if (!this.#isClosed) report(error);
      this.#close();
    });
  }

  /** One after the other, each when the client can take more: one who reads slowly gets fewer and newer states. */
  readonly send = (read: () => Promise<unknown>): Promise<void> => {
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

  /** The largest frame is counted for as long as the stream lasts: it may be on its way at any time. */
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

  async #pump(subscription: TaskSubscription): Promise<void> {
    let telling: Promise<void> | undefined;
    for await (const message of readMessages(this.#inner)) {
      const { method, params } = message as AckMessage;
      if (method === ACKNOWLEDGED_METHOD) {
        this.#isShared = Object.keys(params?.notifications ?? {}).length > 0;
        await this.send(async () => withTaskIds(message as object, this.#tasks));
        telling = subscription.run();
      } else if (method === undefined) this.#last = message;
      else await this.send(async () => message);
    }
    // The SDK's part of the stream ends when the server closes, or at once when the client asked for tasks alone.
    if (!this.#isShared) await telling;
    this.#end();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#subscription?.close();
    this.#onRoom();
    this.#inner.cancel().catch(() => {});
    try {
      this.#controller?.close();
    } catch {
      // It has been cancelled by its reader.
    }
    this.#onClosed();
  }
}
