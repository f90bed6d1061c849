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
  /** How long a client waits before it reconnects. */
  readonly retryMs: number;
  /** Whether the client accepts events without data; older clients take them for broken messages. */
  readonly takesEmptyData: boolean;
  /** Where the stream continues, if it is resumed. */
  readonly from?: EventPoint;
  readonly clock: Clock;
}

/**
 * A call that ends sooner need not be resumable: if it is cut off, the client repeats it and gets the lost answer. An
 * id sent before such an answer would only let the client notice a lost connection earlier than we do.
 */
const FIRST_ID_MS = 100;

/** The reconnect delay when the server stops: its restart or replacement takes longer than a reconnect. */
export const toStoppedMs = (retryMs: number): number => 2 * retryMs;

/**
 * Assigns the ids of the events on one stream.
 *
 * A message gets its id when it is sent, because unread messages must not count as read. A stream that has been silent
 * for a moment after its task is on disk gets an id too, so that it can be resumed whenever it is cut.
 */
export class StreamMarks {
  readonly #options: StreamMarksOptions;
  readonly #waiting: (string | undefined)[] = [];
  readonly #unsaid: Uint8Array[] = [];
  #say: ((frame: Uint8Array) => void) | undefined;
  /** The position of the stream before its first message. */
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

  /** Whether a client that is cut off now can resume. */
  get isResumable(): boolean {
    return this.#isMarked || this.#toId(false, this.#first) !== undefined;
  }

  /** Records what the client has been told of its task; the first call schedules an id, so that the client can resume. */
  tell(told: ToldPoint): void {
    this.#told = told;
    if (this.#first) return;
    this.#first = told;
    this.#stopTimer = this.#options.clock.after(FIRST_ID_MS, () => this.#tellCursor());
  }

  /** Cancels the scheduled id: the stream is over. */
  close(): void {
    this.#stopTimer();
  }

  /** Opens the stream: `say` sends our own events on it. */
  open(say: (frame: Uint8Array) => void): void {
    this.#say = say;
    for (const frame of this.#unsaid.splice(0)) say(frame);
  }

  /** Assigns an id to a message that is about to be sent. */
  sent(message: JSONRPCMessage): void {
    this.#stopTimer();
    const isEnd = !('method' in message);
    // The stream may be cut within this message.
    if (!isEnd && !this.#isMarked) this.#tellCursor();
    if (!isEnd) this.#see(message);
    const eventId = this.#toId(isEnd);
    this.#isMarked ||= eventId !== undefined;
    this.#waiting.push(eventId);
  }

  /** Adds the id of the oldest sent message that has no frame yet to its frame. */
  mark(frame: Uint8Array): Uint8Array {
    const eventId = this.#waiting.shift();
    return eventId === undefined ? frame : withId(eventId, frame);
  }

  /** Tells the client that nothing follows, not even an answer: it need not reconnect. */
  end(): void {
    this.#tellCursor({ isEnd: true });
  }

  /** Tells the client to reconnect for its answer, because the connection is about to be closed. */
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
    // An id without the pending questions at worst makes the client get one twice.
    return sealEvent(seal, { ...point, ...asked }, on) ?? sealEvent(seal, point, on);
  }
}

/** Removes the fields that belong to the stream. */
function toTold({ requestId: _, progress: _progress, asked: _asked, isEnd: _isEnd, ...told }: EventPoint): ToldPoint {
  return told;
}
