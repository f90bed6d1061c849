import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import type { EventPoint, Seal, ToldPoint } from '../../dialects/server-port.ts';
import { parseQuestionId } from '../../dialects/shared/questions/asked-questions.ts';
import { MAX_REMEMBERED_ASKED } from '../../limits.ts';
import { makeToken } from '../../task/id.ts';
import { type EventOwner, sealEvent } from './event-id.ts';
import { toCursorFrame, withId } from './sse-frames.ts';

export interface StreamEventIdsOptions extends EventOwner {
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
export const toStopRetryMs = (retryMs: number): number => 2 * retryMs;

/**
 * Assigns the ids of the events on one stream.
 *
 * A message gets its id when it is sent, because unread messages must not count as read. A stream that has been silent
 * for a moment after its task is on disk gets an id too, so that it can be resumed whenever it is cut.
 */
export class StreamEventIds {
  readonly #options: StreamEventIdsOptions;
  readonly #pendingIds: (string | undefined)[] = [];
  readonly #unsentFrames: Uint8Array[] = [];
  #sendFrame: ((frame: Uint8Array) => void) | undefined;
  /** The position of the stream before its first message. */
  #firstPosition: ToldPoint | undefined;
  #position: ToldPoint | undefined;
  #progress: number | undefined;
  #asked: readonly string[];
  #name: string | undefined;
  #count = 0;
  #hasSentId = false;
  #stopTimer = () => {};

  constructor(options: StreamEventIdsOptions) {
    this.#options = options;
    const { from } = options;
    this.#position = from && toPosition(from);
    this.#firstPosition = this.#position;
    this.#progress = from?.progress;
    this.#asked = from?.asked ?? [];
    if (from) this.#sendCursor();
  }

  /** Whether a client that is cut off now can resume. */
  get isResumable(): boolean {
    return this.#hasSentId || this.#toId(false, this.#firstPosition) !== undefined;
  }

  /** Records what the client has been told of its task; the first call schedules an id, so that the client can resume. */
  recordPosition(position: ToldPoint): void {
    this.#position = position;
    if (this.#firstPosition) return;
    this.#firstPosition = position;
    this.#stopTimer = this.#options.clock.after(FIRST_ID_MS, () => this.#sendCursor());
  }

  /** Cancels the scheduled id: the stream is over. */
  close(): void {
    this.#stopTimer();
  }

  /** Opens the stream: `sendFrame` sends our own events on it. */
  open(sendFrame: (frame: Uint8Array) => void): void {
    this.#sendFrame = sendFrame;
    for (const frame of this.#unsentFrames.splice(0)) sendFrame(frame);
  }

  /** Assigns an id to a message that is about to be sent. */
  assignId(message: JSONRPCMessage): void {
    this.#stopTimer();
    const isEnd = !('method' in message);
    // The stream may be cut within this message.
    if (!isEnd && !this.#hasSentId) this.#sendCursor();
    if (!isEnd) this.#recordMessage(message);
    const eventId = this.#toId(isEnd);
    this.#hasSentId ||= eventId !== undefined;
    this.#pendingIds.push(eventId);
  }

  /** Adds the id of the oldest sent message that has no frame yet to its frame. */
  addEventId(frame: Uint8Array): Uint8Array {
    const eventId = this.#pendingIds.shift();
    return eventId === undefined ? frame : withId(eventId, frame);
  }

  /** Tells the client that nothing follows, not even an answer: it need not reconnect. */
  sendEnd(): void {
    this.#sendCursor({ isEnd: true });
  }

  /** Tells the client to reconnect for its answer, because the connection is about to be closed. */
  sendReconnect(): void {
    this.#sendCursor({ retryMs: toStopRetryMs(this.#options.retryMs) });
  }

  #recordMessage(message: Extract<JSONRPCMessage, { readonly method: string }>): void {
    if (message.method === 'notifications/progress') this.#progress = (message.params as { progress: number }).progress;
    if (!('id' in message) || parseQuestionId(message.id) === undefined) return;
    this.#asked = [...this.#asked, String(message.id)].slice(-MAX_REMEMBERED_ASKED);
  }

  #sendCursor({ retryMs = this.#options.retryMs, isEnd = false } = {}): void {
    this.#stopTimer();
    const eventId = this.#toId(isEnd, this.#hasSentId ? this.#position : this.#firstPosition);
    if (eventId === undefined) return;
    this.#hasSentId = true;
    const frame = toCursorFrame(eventId, { retryMs, isEmpty: this.#options.takesEmptyData });
    if (this.#sendFrame) this.#sendFrame(frame);
    else this.#unsentFrames.push(frame);
  }

  #toId(isEnd: boolean, position = this.#position): string | undefined {
    if (!position) return undefined;
    const { seal, principal, sessionId, requestId } = this.#options;
    const progress = this.#progress === undefined ? {} : { progress: this.#progress };
    const point = { ...position, requestId, ...progress, ...(isEnd && { isEnd }) };
    this.#name ??= makeToken().slice(0, 8);
    const on = { principal, sessionId, unique: `${this.#name}-${++this.#count}` };
    const asked = this.#asked.length === 0 ? {} : { asked: this.#asked };
    // An id without the pending questions at worst makes the client get one twice.
    return sealEvent(seal, { ...point, ...asked }, on) ?? sealEvent(seal, point, on);
  }
}

/** Removes the fields that belong to the stream. */
function toPosition({
  requestId: _,
  progress: _progress,
  asked: _asked,
  isEnd: _isEnd,
  ...position
}: EventPoint): ToldPoint {
  return position;
}
