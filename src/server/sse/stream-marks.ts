import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import type { EventPoint, Seal, ToldPoint } from '../../dialects/server-port.ts';
import { parseQuestionId } from '../../dialects/shared/questions/asked-questions.ts';
import { MAX_REMEMBERED_ASKED } from '../../limits.ts';
import { makeToken } from '../../task/id.ts';
import { type EventOwner, sealEvent } from './event-id.ts';
import { toCursorFrame, withId } from './sse-frames.ts';

export interface StreamMarksOptions extends EventOwner {
  readonly seal: Seal;
  readonly requestId: string | number;
  /** How long a client waits before it comes back. */
  readonly retryMs: number;
  /** Whether the client may be sent events without data; older ones take them for broken messages. */
  readonly takesEmptyData: boolean;
  /** Where the stream goes on, when it is resumed. */
  readonly from?: EventPoint;
  readonly clock: Clock;
}

/**
 * A call that ends sooner has nothing to be resumed: cut off, it is made again, and gets what was lost. An id that came before
 * such an answer would only make it known to the client earlier than to us that the line is gone.
 */
const FIRST_ID_MS = 100;

/** A server that stops is back, or another has its place, some time later than a line that was cut. */
export const toStoppedMs = (retryMs: number): number => 2 * retryMs;

/**
 * The ids of the events on one stream.
 *
 * Each message takes its id when it is sent: what waits to be read must not look as if it had been. A stream that has said
 * nothing for a moment after its task is on disk gets an id all the same, so that it can be resumed whenever it is cut.
 */
export class StreamMarks {
  readonly #options: StreamMarksOptions;
  readonly #waiting: (string | undefined)[] = [];
  readonly #unsaid: Uint8Array[] = [];
  #say: ((frame: Uint8Array) => void) | undefined;
  /** Where the stream stood before anything was said on it. */
  #first: ToldPoint | undefined;
  #told: ToldPoint | undefined;
  #progress: number | undefined;
  #asked: readonly string[];
  #name: string | undefined;
  #count = 0;
  #isMarked = false;
  #stopTimer = () => {};

  constructor(options: StreamMarksOptions) {
    this.#options = options;
    const { from } = options;
    this.#told = from && toTold(from);
    this.#first = this.#told;
    this.#progress = from?.progress;
    this.#asked = from?.asked ?? [];
    if (from) this.#tellCursor();
  }

  /** Whether a client that is cut off now can come back. */
  get isResumable(): boolean {
    return this.#isMarked || this.#toId(false, this.#first) !== undefined;
  }

  /** What has been told of the call's task; the first time, its client learns that it can come back. */
  tell(told: ToldPoint): void {
    this.#told = told;
    if (this.#first) return;
    this.#first = told;
    this.#stopTimer = this.#options.clock.after(FIRST_ID_MS, () => this.#tellCursor());
  }

  /** The stream is over. */
  close(): void {
    this.#stopTimer();
  }

  /** The stream is open: events of ours go out here. */
  open(say: (frame: Uint8Array) => void): void {
    this.#say = say;
    for (const frame of this.#unsaid.splice(0)) say(frame);
  }

  /** A message is about to be sent on the stream. */
  sent(message: JSONRPCMessage): void {
    this.#stopTimer();
    const isEnd = !('method' in message);
    // It may be cut in the middle.
    if (!isEnd && !this.#isMarked) this.#tellCursor();
    if (!isEnd) this.#see(message);
    const eventId = this.#toId(isEnd);
    this.#isMarked ||= eventId !== undefined;
    this.#waiting.push(eventId);
  }

  /** The frame of the message that was sent first of those that have not been here, with its id. */
  mark(frame: Uint8Array): Uint8Array {
    const eventId = this.#waiting.shift();
    return eventId === undefined ? frame : withId(eventId, frame);
  }

  /** Nothing follows, and there is no answer: the client need not come back. */
  end(): void {
    this.#tellCursor({ isEnd: true });
  }

  /** The connection is about to be closed before the answer: the client is to come back for it. */
  tellStop(): void {
    this.#tellCursor({ retryMs: toStoppedMs(this.#options.retryMs) });
  }

  #see(message: Extract<JSONRPCMessage, { readonly method: string }>): void {
    if (message.method === 'notifications/progress') this.#progress = (message.params as { progress: number }).progress;
    if (!('id' in message) || parseQuestionId(message.id) === undefined) return;
    this.#asked = [...this.#asked, String(message.id)].slice(-MAX_REMEMBERED_ASKED);
  }

  #tellCursor({ retryMs = this.#options.retryMs, isEnd = false } = {}): void {
    this.#stopTimer();
    const eventId = this.#toId(isEnd, this.#isMarked ? this.#told : this.#first);
    if (eventId === undefined) return;
    this.#isMarked = true;
    const frame = toCursorFrame(eventId, { retryMs, isEmpty: this.#options.takesEmptyData });
    if (this.#say) this.#say(frame);
    else this.#unsaid.push(frame);
  }

  #toId(isEnd: boolean, told = this.#told): string | undefined {
    if (!told) return undefined;
    const { seal, principal, sessionId, requestId } = this.#options;
    const progress = this.#progress === undefined ? {} : { progress: this.#progress };
    const point = { ...told, requestId, ...progress, ...(isEnd && { isEnd }) };
    this.#name ??= makeToken().slice(0, 8);
    const on = { principal, sessionId, unique: `${this.#name}-${++this.#count}` };
    const asked = this.#asked.length === 0 ? {} : { asked: this.#asked };
    // What a client is not known to have before it is asked twice at the worst.
    return sealEvent(seal, { ...point, ...asked }, on) ?? sealEvent(seal, point, on);
  }
}

/** Without what is the stream's own. */
function toTold({ requestId: _, progress: _progress, asked: _asked, isEnd: _isEnd, ...told }: EventPoint): ToldPoint {
  return told;
}
