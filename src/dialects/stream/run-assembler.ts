/**
 * Assembles one run from its notifications: events in order as updates, the final text from its parts, and the end.
 *
 * - running: no notification has said that it is over.
 * - over:    reported as over, but parts of the final text are missing; they are waited for, for a short time.
 * - settled: nothing more is waited for. Later notifications change nothing.
 *
 * A run whose whole final text has arrived is over too after a while without notifications.
 */
import type { Clock } from '../../clock.ts';
import type { CallUpdate, JsonObject } from '../host-port.ts';
import { FinalText } from './chunks.ts';
import { EventOrder } from './event-order.ts';
import { isRunEnd, type RunNotification } from './run-notifications.ts';
import type { EndedRun } from './run-outcome.ts';
import { readAssistantText, readSystemEvent, toRunUpdate } from './run-update.ts';

export interface RunAssemblerOptions {
  readonly clock: Clock;
  update(update: CallUpdate): void;
}

/** The ids that its server uses for a run. */
export interface RunIds {
  readonly runId?: string;
  readonly requestId?: string;
  readonly windowId?: string;
}

interface ReceivedEvent {
  readonly event: JsonObject | undefined;
  readonly text: string | undefined;
}

// Servers that send the end and the text by two timers of up to half a second each may send them in any order.
const REST_MS = 2000;
const MAX_REST_MS = 30_000;
const SILENT_END_MS = 10_000;

const ID_NAMES = ['runId', 'requestId', 'windowId'] as const;

export class RunAssembler {
  readonly #options: RunAssemblerOptions;
  readonly #order: EventOrder<ReceivedEvent>;
  readonly #final = new FinalText();
  #ids: RunIds = {};
  #status: string | undefined;
  #finishedAt: string | undefined;
  #lastText: string | undefined;
  #receivedAt: number | undefined;
  #overAt: number | undefined;
  #isSettled = false;
  #stopTimer: (() => void) | undefined;
  #onChange: () => void = () => {};

  constructor(options: RunAssemblerOptions) {
    this.#options = options;
    this.#order = new EventOrder({
      clock: options.clock,
      release: (received) => this.#show(received),
      miss: (from, to) => options.update({ type: 'gap', from, to }),
    });
  }

  /** When the last notification about the run arrived, by the monotonic clock. */
  get receivedAt(): number | undefined {
    return this.#receivedAt;
  }

  /** Whether the run was reported as over. */
  get isOver(): boolean {
    return this.#overAt !== undefined;
  }

  /** Whether nothing more is waited for. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  get hasFinalText(): boolean {
    return this.#final.isWhole;
  }

  get ids(): RunIds {
    return this.#ids;
  }

  /** Calls back when the run is over, is settled, or has got an id. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  receive(notification: RunNotification): void {
    if (this.#isSettled) return;
    this.#receivedAt = this.#options.clock.monotonic();
    this.#learn(notification);
    if (notification.final) this.#final.add(notification.final);
    else this.#addEvent(notification);
    if (notification.isEnd) this.#overAt ??= this.#options.clock.monotonic();
    this.#decide();
  }

  /** Returns what is known now. */
  toEndedRun(): EndedRun {
    this.#order.end();
    return {
      status: this.#status,
      finishedAt: this.#finishedAt,
      runId: this.#ids.runId,
      finalText: this.#final.text,
      isCut: this.#final.text !== undefined && !this.#final.mayBeWhole,
      lastText: this.#lastText,
    };
  }

  close(): void {
    this.#isSettled = true;
    this.#stopTimer?.();
    this.#order.end();
  }

  #learn({ runId, requestId, windowId, status, finishedAt }: RunNotification): void {
    // A notification with an earlier status may arrive after the final one.
    if (status !== undefined && (this.#status === undefined || isRunEnd(status))) this.#status = status;
    this.#finishedAt ??= finishedAt;
    const ids = { runId, requestId, windowId };
    // Every event repeats the ids.
    const fresh = ID_NAMES.filter((name) => ids[name] !== undefined && this.#ids[name] === undefined);
    if (fresh.length === 0) return;
    this.#ids = { ...this.#ids, ...Object.fromEntries(fresh.map((name) => [name, ids[name]])) };
    this.#onChange();
  }

  #addEvent({ event, text }: RunNotification): void {
    const gap = readGap(event);
    if (gap) this.#order.skip(gap.from, gap.to);
    else if (typeof event?.seq === 'number') this.#order.add(event.seq, { event, text }, readFrom(event));
    else if (event || text !== undefined) this.#show({ event, text });
  }

  #show({ event, text }: ReceivedEvent): void {
    this.#lastText = readAssistantText(event) ?? (event ? this.#lastText : text);
    const update = toRunUpdate(event, text);
    if (update) this.#options.update(update);
  }

  #decide(): void {
    const { clock } = this.#options;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#overAt === undefined) {
      if (this.#final.isWhole) this.#stopTimer = clock.after(SILENT_END_MS, () => this.#settle());
      return;
    }
    const leftMs = this.#overAt + MAX_REST_MS - clock.monotonic();
    if (this.#final.mayBeWhole || leftMs <= 0) {
      this.#settle();
      return;
    }
    this.#stopTimer = clock.after(Math.min(REST_MS, leftMs), () => this.#settle());
    this.#onChange();
  }

  #settle(): void {
    this.#isSettled = true;
    this.#stopTimer?.();
    this.#onChange();
  }
}

/** Returns the first number of an event that was merged from several. */
function readFrom({ from, seq }: JsonObject): number | undefined {
  return typeof from === 'number' && typeof seq === 'number' && from < seq ? from : undefined;
}

/** Returns the numbers that a server reports as dropped: on the wire `from` is included and `to` excluded. */
function readGap(event: JsonObject | undefined): { readonly from: number; readonly to: number } | undefined {
  const { type, from, to } = readSystemEvent(event) ?? {};
  const isGap = type === 'gap' && typeof from === 'number' && typeof to === 'number';
  return isGap ? { from, to: to - 1 } : undefined;
}
