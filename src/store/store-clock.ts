/**
 * The time on which all processes of a store agree.
 *
 * It begins as somebody's wall clock and goes on as the machine's steady clock does, whatever wall clocks say later. What
 * is kept of it is one record; each process counts on from there by itself, so it is written now and then only.
 *
 * - Nobody takes it back.
 * - Once a process has seen the record, a later one takes it no further than it has waited since it last looked. So a
 *   process whose steady clock differs from that of the others cannot make time run away.
 * - A record of another boot says nothing of the time since: it is moved on to the wall clock, if that is ahead. Whoever
 *   writes first decides; what the others thought until then counts for nothing.
 * - Wall clocks that are ahead are believed when for a while nobody who wrote had another. That is how it looks when a
 *   virtual machine was paused, and how it does not look when one process has a wrong clock.
 *
 * Whenever a wall clock has moved it, `certain` lags behind `now`, and then catches up at twice its pace. What had begun
 * before goes by that when it comes to ending work or dropping results, so nobody's wall clock can end anything at once:
 * each has half of its time at least. What begins later goes by `now`.
 */
import { type Clock, readSteady, type SteadyReading } from '../clock.ts';
import { STORE_TIME } from '../limits.ts';

/** What a store says of the time. */
export interface StoreTime {
  /** Epoch ms; never goes back. */
  readonly now: number;
  /** As much of it as has passed for certain. */
  readonly certain: number;
  /** When a wall clock last moved it; 0 when none did. */
  readonly movedAt: number;
}

/** Whether the time of something is over for certain, if it was to last so long. */
export function isOver({ now, certain, movedAt }: StoreTime, span: { from: number; until: number }): boolean {
  return span.until <= (span.from >= movedAt ? now : certain);
}

/** The record. */
export interface KeptTime {
  readonly at: number;
  /** By how much `certain` lagged behind. */
  readonly lagMs: number;
  readonly movedAt: number;
  readonly steadyMs: number;
  readonly boot: string;
  /** By how much the wall clocks of all who wrote are ahead, and since when; absent when they are not. */
  readonly ahead: { readonly ms: number; readonly since: number } | undefined;
}

/** Where this process counts from. */
interface Anchor {
  readonly at: number;
  readonly lagMs: number;
  readonly movedAt: number;
  readonly steadyMs: number;
}

/** Makes one time of the clocks of all processes on a store. */
export class StoreClock {
  readonly #clock: Clock;
  /** Whether the time is that of a record of this boot. Until then our wall clock is only a guess. */
  #isAgreed = false;
  #anchor: Anchor | undefined;
  #lookedMs = 0;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes notice of what is kept. */
  see(kept: KeptTime | undefined): void {
    const reading = readSteady(this.#clock);
    if (this.#anchor === undefined || !this.#isAgreed) this.#begin(kept, reading);
    else if (kept) this.#anchor = this.#follow(this.#anchor, kept, reading);
    this.#lookedMs = reading.ms;
  }

  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  /** The time by what was seen last. */
  time(): StoreTime {
    if (this.#anchor === undefined) this.see(undefined);
    const { at, lagMs, movedAt } = countOn(this.#anchor as Anchor, readSteady(this.#clock).ms);
    const now = Math.floor(at);
    this.#newest = Math.max(this.#newest, now);
    return { now: this.#newest, certain: Math.min(this.#newest, Math.floor(at - lagMs)), movedAt };
  }

  /** Whether the record is old, or says of wall clocks what is not true of ours. */
  isDue(kept: KeptTime | undefined): boolean {
    // Until somebody writes it, the time since a restart is anybody's guess.
    if (kept === undefined || !this.#isAgreed) return true;
    const { now } = this.time();
    return now - kept.at >= STORE_TIME.keepEveryMs || (kept.ahead !== undefined && !this.#agrees(kept.ahead, now));
  }

  /** What is to be kept now, in the transaction in which the record was read. */
  move(kept: KeptTime | undefined): KeptTime {
    this.see(kept);
    this.#isAgreed = true;
    const { now } = this.time();
    const aheadMs = this.#toAhead(now);
    if (aheadMs < STORE_TIME.minStepMs) return this.#toKept(undefined);
    const known = kept?.ahead && this.#agrees(kept.ahead, now) ? kept.ahead : undefined;
    if (known === undefined) return this.#toKept({ ms: aheadMs, since: now });
    if (now - known.since < STORE_TIME.believeAfterMs) return this.#toKept(known);
    this.#step(aheadMs);
    return this.#toKept(undefined);
  }

  /** By how much our wall clock is ahead. */
  #toAhead(now: number): number {
    return Math.floor(this.#clock.now()) - now;
  }

  #agrees({ ms }: { readonly ms: number }, now: number): boolean {
    return Math.abs(this.#toAhead(now) - ms) <= STORE_TIME.toleranceMs;
  }

  #begin(kept: KeptTime | undefined, { ms, boot }: SteadyReading): void {
    this.#newest = Number.NEGATIVE_INFINITY;
    // Behind it: the record was written by somebody with another steady clock.
    this.#isAgreed = kept?.boot === boot && ms >= kept.steadyMs - STORE_TIME.toleranceMs;
    const wall = Math.floor(this.#clock.now());
    if (kept === undefined) this.#anchor = { at: wall, lagMs: 0, movedAt: 0, steadyMs: ms };
    else if (this.#isAgreed) this.#anchor = countOn(kept, ms);
    else this.#anchor = toMoved({ ...kept, steadyMs: ms }, Math.max(0, wall - kept.at));
  }

  #follow(anchor: Anchor, kept: KeptTime, { ms, boot }: SteadyReading): Anchor {
    const mine = countOn(anchor, ms);
    // It was written after this process looked last.
    const waitedMs = Math.max(0, ms - this.#lookedMs);
    const passedMs = kept.boot === boot ? Math.min(waitedMs, Math.max(0, ms - kept.steadyMs)) : 0;
    const theirs = countOn({ ...kept, steadyMs: ms - passedMs }, ms);
    return theirs.at > mine.at ? theirs : mine;
  }

  #step(ms: number): void {
    this.#anchor = toMoved(countOn(this.#anchor as Anchor, readSteady(this.#clock).ms), ms);
  }

  #toKept(ahead: KeptTime['ahead']): KeptTime {
    const { ms, boot } = readSteady(this.#clock);
    const { at, lagMs, movedAt } = countOn(this.#anchor as Anchor, ms);
    return { at: Math.floor(at), lagMs: Math.ceil(lagMs), movedAt, steadyMs: ms, boot, ahead };
  }
}

/** The same after so much steady time. A reading that is lower than before, as after a restored snapshot, begins anew. */
function countOn({ at, lagMs, movedAt, steadyMs }: Anchor, ms: number): Anchor {
  const passedMs = Math.max(0, ms - steadyMs);
  return { at: at + passedMs, lagMs: Math.max(0, lagMs - passedMs), movedAt, steadyMs: ms };
}

/** The same after a wall clock has moved it by so much. */
function toMoved({ at, lagMs, movedAt, steadyMs }: Anchor, ms: number): Anchor {
  if (ms === 0) return { at, lagMs, movedAt, steadyMs };
  return { at: at + ms, lagMs: lagMs + ms, movedAt: Math.floor(at + ms), steadyMs };
}
