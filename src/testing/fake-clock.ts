import type { Clock } from '../clock.ts';

/** A clock that only moves when a test moves it. */
export interface FakeClock extends Clock {
  /** Sets the wall clock forwards or back, as a user could; no time passes. */
  adjust(ms: number): void;
  /** Moves time on and runs the timers that fall due, in order, including timers and promises that they start. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** Creates a clock that only moves when a test moves it. */
export function createFakeClock(startMs: number = Date.UTC(2030, 0, 1)): FakeClock {
  const timers = new Set<Timer>();
  const boot = `fake-${process.pid}-${Math.random()}`;
  let adjusted = 0;
  let elapsed = 0;
  return {
    now: () => startMs + adjusted + elapsed,
    monotonic: () => elapsed,
    steady: () => ({ ms: elapsed, boot }),
    adjust(ms) {
      adjusted += ms;
    },
    after(ms, fn) {
      const timer = { at: elapsed + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const target = elapsed + ms;
      for (let next = findNext(timers, target); next; next = findNext(timers, target)) {
        timers.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.fn();
        await turn();
      }
      elapsed = Math.max(elapsed, target);
      await turn();
    },
  };
}

/** The earliest timer that is due; of several at the same time, the one set first. */
function findNext(timers: ReadonlySet<Timer>, target: number): Timer | undefined {
  let next: Timer | undefined;
  for (const timer of timers) {
    if (timer.at <= target && (next === undefined || timer.at < next.at)) next = timer;
  }
  return next;
}

/** Lets pending promises and immediates run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
