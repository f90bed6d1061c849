import type { LoggedEvent, RunState } from './run-state.ts';

/** What is new in a log since it was last read. */
export type NewInLog =
  | { readonly type: 'event'; readonly event: LoggedEvent }
  /** Entries numbered `from` to `to`, both included, were removed before they could be read. */
  | { readonly type: 'gap'; readonly from: number; readonly to: number };

/**
 * How far the log of one run has been passed on: by numbers, or by position where numbers cannot be used.
 *
 * A log that has become shorter was cleared or cut. A numbered entry is never passed on twice; without numbers, reading
 * continues after the last entry that was passed on, and from the beginning when that entry is gone.
 */
export class LogCursor {
  #lastSeq: number | undefined;
  #lastTs = '';
  #logLength = 0;
  #count = 0;
  #last = '';

  take({ events, logLength }: Pick<RunState, 'events' | 'logLength'>): NewInLog[] {
    const isShorter = logLength < this.#logLength;
    this.#logLength = logLength;
    return hasNumbers(events) ? this.#takeByNumber(events, isShorter) : this.#takeByPlace(events);
  }

  #takeByNumber(events: readonly (LoggedEvent & { readonly seq: number })[], isShorter: boolean): NewInLog[] {
    const last = this.#lastSeq;
    const isAnew = last !== undefined && isShorter && (events.at(-1)?.seq ?? last) < last;
    const found: NewInLog[] = [];
    for (const event of events) {
      // A log that was started again counts from the beginning; only its times show what is new.
      const isNew = isAnew ? (event.ts ?? '') > this.#lastTs : event.seq > (last ?? Number.NEGATIVE_INFINITY);
      if (!isNew) continue;
      const next = (this.#lastSeq ?? event.seq - 1) + 1;
      if (!isAnew && event.seq > next) found.push({ type: 'gap', from: next, to: event.seq - 1 });
      found.push({ type: 'event', event });
      this.#lastSeq = event.seq;
    }
    const newest = events.at(-1)?.ts ?? '';
    if (newest > this.#lastTs) this.#lastTs = newest;
    return found;
  }

  #takeByPlace(events: readonly LoggedEvent[]): NewInLog[] {
    const fresh = events.slice(this.#findPlace(events));
    this.#count = events.length;
    this.#last = events.length > 0 ? JSON.stringify(events.at(-1)) : this.#last;
    return fresh.map((event) => ({ type: 'event', event }));
  }

  #findPlace(events: readonly LoggedEvent[]): number {
    if (this.#count === 0) return 0;
    const isThere = (index: number) => JSON.stringify(events[index]) === this.#last;
    if (isThere(this.#count - 1)) return this.#count;
    for (let index = events.length - 1; index >= 0; index--) if (isThere(index)) return index + 1;
    return 0;
  }
}

/** Whether numbers rise from entry to entry. */
function hasNumbers(events: readonly LoggedEvent[]): events is readonly (LoggedEvent & { readonly seq: number })[] {
  let last = Number.NEGATIVE_INFINITY;
  return events.every(({ seq }) => {
    const isRising = typeof seq === 'number' && seq > last;
    if (isRising) last = seq;
    return isRising;
  });
}
