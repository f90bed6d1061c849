import type { Clock } from 'holdfast';
import { createFakeClock } from 'holdfast/testing';

/** A clock that goes from one timer to the next as soon as everybody has done what there was to do. */
export interface StageClock extends Clock {
  /** Ms since the beginning. */
  elapsed(): number;
  /** Resolves when so much time has passed, or the signal aborts. */
  elapse(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets time pass until the work is done; throws when it takes longer than it may. */
  drive<T>(work: Promise<T>, maxMs?: number): Promise<T>;
}

// Whoever does something in between looks at the clock or sets a timer; this many turns without a sign are quiet.
const QUIET_TURNS = 8;
const DAY_MS = 86_400_000;

export function createStageClock(): StageClock {
  const fake = createFakeClock();
  const due = new Set<{ readonly at: number }>();
  let signs = 0;
  const seen = <T>(value: T): T => {
    signs += 1;
    return value;
  };
  const settle = async () => {
    for (let quiet = 0, last = signs; quiet < QUIET_TURNS; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signs !== last) quiet = 0;
      last = signs;
    }
  };
  const clock: StageClock = {
    now: () => seen(fake.now()),
    monotonic: () => seen(fake.monotonic()),
    steady: () => seen(fake.steady?.() ?? { ms: fake.monotonic(), boot: 'stage' }),
    after(ms, fn) {
      const timer = seen({ at: fake.monotonic() + Math.max(0, ms) });
      due.add(timer);
      const cancel = fake.after(ms, () => {
        due.delete(timer);
        fn();
      });
      return () => {
        due.delete(timer);
        cancel();
      };
    },
    elapsed: () => fake.monotonic(),
    elapse: (ms, signal) =>
      new Promise((resolve) => {
        const stop = clock.after(ms, resolve);
        signal?.addEventListener('abort', () => {
          stop();
          resolve();
        });
      }),
    async drive(work, maxMs = DAY_MS) {
      let isDone = false;
      const over = () => {
        isDone = true;
      };
      work.then(over, over);
      const end = fake.monotonic() + maxMs;
      for (await settle(); !isDone; await settle()) {
        if (fake.monotonic() > end) throw new Error(`not done after ${maxMs} ms`);
        const next = Math.min(...[...due].map(({ at }) => at));
        if (next === Number.POSITIVE_INFINITY) throw new Error('nobody waits for anything, and it is not done');
        await fake.advance(Math.max(0, next - fake.monotonic()));
      }
      return work;
    },
  };
  return clock;
}
