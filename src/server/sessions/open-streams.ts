import type { AskedQuestions } from '../../dialects/shared/questions/asked-questions.ts';
import type { AnswerSlot } from '../admission/request-slots.ts';
import type { StreamEventIds } from '../sse/stream-event-ids.ts';

type RequestId = string | number;

/** One open stream to a client. */
export interface OpenStream {
  /** The requests it answers; none for the standing stream. */
  readonly requestIds: readonly RequestId[];
  /** Ids of our requests that were sent on it. */
  readonly carried: Set<string>;
  /** The slot of the request that opened it. */
  readonly slot: AnswerSlot;
  /** Ends it, and discards what is queued on it. */
  readonly cutter: AbortController;
  /** The ids of its events, if it answers a single request. */
  readonly eventIds?: StreamEventIds | undefined;
}

/**
 * The open streams of one session, and the questions sent on them.
 *
 * A question is pending at the client until its stream is lost. The stream of an answered request is not lost: all that
 * was sent before the answer has arrived. The standing stream has no answer, so its end is always a loss.
 */
export class OpenStreams {
  readonly #asked: AskedQuestions;
  /** By id of the requests whose answers they carry. */
  readonly #byRequest = new Map<RequestId, OpenStream>();
  #standing: OpenStream | undefined;

  constructor(asked: AskedQuestions) {
    this.#asked = asked;
  }

  open(requestIds: readonly RequestId[], { slot, eventIds }: Pick<OpenStream, 'slot' | 'eventIds'>): OpenStream {
    const stream: OpenStream = { requestIds, carried: new Set(), slot, cutter: new AbortController(), eventIds };
    for (const id of requestIds) this.#byRequest.set(id, stream);
    return stream;
  }

  /** Makes the stream the standing one. */
  stand(stream: OpenStream): void {
    this.#standing = stream;
  }

  /** Returns the stream that answers a request; without a request id, the standing stream. */
  find(requestId: RequestId | undefined): OpenStream | undefined {
    return requestId === undefined ? this.#standing : this.#byRequest.get(requestId);
  }

  end(stream: OpenStream): void {
    for (const id of stream.requestIds) if (this.#byRequest.get(id) === stream) this.#byRequest.delete(id);
    if (this.#standing !== stream) return;
    this.#standing = undefined;
    this.lose(stream);
  }

  /** The client disconnected early: it may not have received the questions sent on the stream. */
  lose({ carried }: OpenStream): void {
    const ids = [...carried];
    // Cleared now: another stream may carry these questions before the end of this one is reported again.
    carried.clear();
    this.#asked.lose(ids);
  }
}
