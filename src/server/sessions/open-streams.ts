import type { AskedQuestions } from '../../dialects/shared/questions/asked-questions.ts';
import type { AnswerPlace } from '../admission/request-places.ts';
import type { StreamMarks } from '../sse/stream-marks.ts';

type RequestId = string | number;

/** One open stream to a client. */
export interface OpenStream {
  /** The requests it answers; none for the standing stream. */
  readonly requestIds: readonly RequestId[];
  /** Ids of requests of ours that went out on it. */
  readonly carried: Set<string>;
  /** Of the request that opened it. */
  readonly place: AnswerPlace;
  /** Ends it, and drops what waits on it. */
  readonly cutter: AbortController;
  /** The ids of its events, when it answers one request. */
  readonly marks?: StreamMarks | undefined;
}

/**
 * The streams of one session that are open, and what they carried.
 *
 * A question is before the client as long as its stream has not been lost. The stream of a request that was answered is not
 * lost: all that went before the answer has arrived. The standing stream has no answer, so its end is always a loss.
 */
export class OpenStreams {
  readonly #asked: AskedQuestions;
  /** By the requests whose answers are awaited on them. */
  readonly #byRequest = new Map<RequestId, OpenStream>();
  #standing: OpenStream | undefined;

  constructor(asked: AskedQuestions) {
    this.#asked = asked;
  }

  open(requestIds: readonly RequestId[], { place, marks }: Pick<OpenStream, 'place' | 'marks'>): OpenStream {
    const stream: OpenStream = { requestIds, carried: new Set(), place, cutter: new AbortController(), marks };
    for (const id of requestIds) this.#byRequest.set(id, stream);
    return stream;
  }

  /** The stream becomes the standing one. */
  stand(stream: OpenStream): void {
    this.#standing = stream;
  }

  /** The stream that answers a request; without one, the standing stream. */
  find(requestId: RequestId | undefined): OpenStream | undefined {
    return requestId === undefined ? this.#standing : this.#byRequest.get(requestId);
  }

  end(stream: OpenStream): void {
    for (const id of stream.requestIds) if (this.#byRequest.get(id) === stream) this.#byRequest.delete(id);
    if (this.#standing !== stream) return;
    this.#standing = undefined;
    this.lose(stream);
  }

  /** The client left before the end: whether it saw what the stream carried is not known. */
  lose({ carried }: OpenStream): void {
    const ids = [...carried];
    // Another stream may carry them before this one is heard to have gone a second time.
    carried.clear();
    this.#asked.lose(ids);
  }
}
