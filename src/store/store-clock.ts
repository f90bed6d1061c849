/**
 * The time on which all processes of a store agree.
 *
 * It starts as one process's wall clock and then advances with the machine's steady clock, whatever wall clocks say later.
 * Only one record is stored; each process counts on from it by itself, so it is written only now and then.
 *
 * - It never goes back.
 * - Once a process has seen the record, a later record advances its time by at most as long as it has waited since it last
 *   looked. So a process whose steady clock differs from the others' cannot make time run away.
 * - A record of another boot does not show how much time has passed since: it is advanced to the wall clock, if that is
 *   ahead. The first process to write decides; what the others assumed until then is discarded.
 * - A wall clock that is ahead is believed once all writers have agreed with it for a while. That is the case when a virtual
 *   machine was paused, and not when a single process has a wrong clock.
 *
 * Whenever a wall clock has moved the time, `certain` lags behind `now` and then catches up at twice the speed. Spans that
 * began before the move use `certain` when work is ended or results are dropped, so no wall clock can end anything at once:
 * each span gets at least half of its time. Spans that begin later use `now`.
 */
import { type Clock, readSteady, type SteadyReading } from '../clock.ts';
import { STORE_TIME } from '../limits.ts';

/** The time of a store. */
export interface StoreTime {
  /** Epoch ms; never goes back. */
  readonly now: number;
  /** How much of `now` is certain to have passed; lags behind `now` after a wall clock moved it. */
  readonly certain: number;
  /** When a wall clock last moved the time; 0 when none did. */
  readonly movedAt: number;
}

/** Whether a span of time is certainly over. */
export function isOver({ now, certain, movedAt }: StoreTime, span: { from: number; until: number }): boolean {
  return span.until <= (span.from >= movedAt ? now : certain);
}

/** The stored record. */
export interface KeptTime {
  readonly at: number;
  /** By how much `certain` lagged behind. */
  readonly lagMs: number;
  readonly movedAt: number;
  readonly steadyMs: number;
  readonly boot: string;
  /** By how much the wall clocks of all writers are ahead, and since when; absent when they are not. */
  readonly ahead: { readonly ms: number; readonly since: number } | undefined;
}

/** The point from which this process counts on. */
interface Anchor {
  readonly at: number;
  readonly lagMs: number;
  readonly movedAt: number;
  readonly steadyMs: number;
}

/** Combines the clocks of all processes on a store into one time. */
export class StoreClock {
  readonly #clock: Clock;
  /** Whether the time is based on a record of this boot. Until then our wall clock is only a guess. */
  #isAgreed = false;
  #anchor: Anchor | undefined;
  #lookedMs = 0;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Updates the time from the stored record. */
  see(kept: KeptTime | undefined): void {
    const reading = readSteady(this.#clock);
    if (this.#anchor === undefined || !this.#isAgreed) this.#begin(kept, reading);
    else if (kept) this.#anchor = this.#follow(this.#anchor, kept, reading);
    this.#lookedMs = reading.ms;
  }

  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  /** The time, based on the last record seen. */
  time(): StoreTime {
    if (this.#anchor === undefined) this.see(undefined);
    const { at, lagMs, movedAt } = countOn(this.#anchor as Anchor, readSteady(this.#clock).ms);
    const now = Math.floor(at);
    this.#newest = Math.max(this.#newest, now);
    return { now: this.#newest, certain: Math.min(this.#newest, Math.floor(at - lagMs)), movedAt };
  }

  /** Whether the record should be written: it is old, or what it says of wall clocks does not match ours. */
  isDue(kept: KeptTime | undefined): boolean {
    // Until a process writes the record, it is not known how much time has passed since a restart.
    if (kept === undefined || !this.#isAgreed) return true;
    const { now } = this.time();
    return now - kept.at >= STORE_TIME.keepEveryMs || (kept.ahead !== undefined && !this.#agrees(kept.ahead, now));
  }

  /** Returns the record to store now; call it in the transaction that read `kept`. */
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
    // A lower reading means that the record was written by a process with another steady clock.
    this.#isAgreed = kept?.boot === boot && ms >= kept.steadyMs - STORE_TIME.toleranceMs;
    const wall = Math.floor(this.#clock.now());
    if (kept === undefined) this.#anchor = { at: wall, lagMs: 0, movedAt: 0, steadyMs: ms };
    else if (this.#isAgreed) this.#anchor = countOn(kept, ms);
    else this.#anchor = toMoved({ ...kept, steadyMs: ms }, Math.max(0, wall - kept.at));
  }

  #follow(anchor: Anchor, kept: KeptTime, { ms, boot }: SteadyReading): Anchor {
    const mine = countOn(anchor, ms);
    // The record was written after this process last looked.
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

/** The anchor after so much steady time. A reading lower than before, as after a restored snapshot, restarts the count. */
function countOn({ at, lagMs, movedAt, steadyMs }: Anchor, ms: number): Anchor {
  const passedMs = Math.max(0, ms - steadyMs);
  return { at: at + passedMs, lagMs: Math.max(0, lagMs - passedMs), movedAt, steadyMs: ms };
}

/** The anchor after a wall clock has moved it by `ms`. */
function toMoved({ at, lagMs, movedAt, steadyMs }: Anchor, ms: number): Anchor {
  if (ms === 0) return { at, lagMs, movedAt, steadyMs };
  return { at: at + ms, lagMs: lagMs + ms, movedAt: Math.floor(at + ms), steadyMs };
}
