import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { type KeptTime, StoreClock } from '../../src/store/store-clock.ts';
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A record that several processes read and write in turn. */
function openRecord() {
  let kept: KeptTime | undefined;
  return {
    /** Each process looks, and writes if it is time to. */
    write(...clocks: StoreClock[]) {
      for (const clock of clocks) {
        clock.see(kept);
        if (clock.isDue(kept)) kept = clock.move(kept);
      }
    },
    see(clock: StoreClock) {
      clock.see(kept);
      return clock.time();
    },
  };
}

/** Another process on the machine of `clock`: its wall clock and its steady one may differ by so much. */
function another(clock: FakeClock, { wallMs = 0, steadyMs = 0, boot = clock.steady?.().boot ?? '' }): Clock {
  return {
    ...clock,
    now: () => clock.now() + wallMs,
    steady: () => ({ ms: clock.monotonic() + steadyMs, boot }),
  };
}

describe('the time of a store', () => {
  it('[BAD-202] is the same for processes whose wall clocks differ, from the first look on', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    const began = clock.now();
    const right = new StoreClock(clock);
    record.write(right);
    await clock.advance(HOUR_MS);
    const others = [-HOUR_MS, 3 * HOUR_MS].map((wallMs) => new StoreClock(another(clock, { wallMs })));
    for (const one of [right, ...others]) {
      expect(record.see(one)).toMatchObject({ now: began + HOUR_MS, certain: began + HOUR_MS });
    }
  });

  it('[BAD-203] goes on by the wall clock after the machine was restarted, and never back', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    record.write(new StoreClock(clock));
    const { now } = record.see(new StoreClock(clock));
    const later = another(clock, { boot: 'next', wallMs: HOUR_MS, steadyMs: 5 });
    expect(record.see(new StoreClock(later)).now).toBe(now + HOUR_MS);
    const earlier = another(clock, { boot: 'next', wallMs: -HOUR_MS, steadyMs: 5 });
    expect(record.see(new StoreClock(earlier))).toMatchObject({ now, certain: now });
  });

  it('[BAD-203] does not stand still after a restart with a wall clock that was set back', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    record.write(new StoreClock(clock));
    const { now } = record.see(new StoreClock(clock));
    const boot = 'next';
    const both = [-HOUR_MS, -2 * HOUR_MS].map(
      (wallMs) => new StoreClock(another(clock, { boot, wallMs, steadyMs: 5 })),
    );
    for (let second = 1; second <= 10; second++) {
      record.write(...both);
      await clock.advance(1000);
      for (const one of both) expect(record.see(one)).toMatchObject({ now: now + 1000 * second });
    }
  });

  it('[BAD-203] a wall clock that is far ahead after a restart leaves everything half of its time at least', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    record.write(new StoreClock(clock));
    const { now } = record.see(new StoreClock(clock));
    const first = new StoreClock(another(clock, { boot: 'next', wallMs: 1000 * HOUR_MS }));
    record.write(first);
    const second = new StoreClock(another(clock, { boot: 'next' }));
    for (const one of [first, second])
      expect(record.see(one)).toMatchObject({ now: now + 1000 * HOUR_MS, certain: now });
    await clock.advance(HOUR_MS);
    for (const one of [first, second]) expect(record.see(one).certain).toBe(now + 2 * HOUR_MS);
    record.write(second);
    await clock.advance(2000 * HOUR_MS);
    const { now: late, certain } = record.see(second);
    expect(certain).toBe(late);
  });

  it('[BAD-209] is decided by who writes first, also for those who looked before anything was written', () => {
    const clock = createFakeClock();
    const record = openRecord();
    const right = new StoreClock(clock);
    const ahead = new StoreClock(another(clock, { wallMs: 3 * HOUR_MS }));
    for (const one of [right, ahead]) record.see(one);
    record.write(right, ahead);
    expect(record.see(ahead)).toMatchObject({ now: clock.now(), certain: clock.now() });
    const later = [HOUR_MS, 5 * HOUR_MS].map((wallMs) => new StoreClock(another(clock, { boot: 'next', wallMs })));
    for (const one of later) record.see(one);
    record.write(...later, ...later);
    for (const one of later) expect(record.see(one).now).toBe(clock.now() + HOUR_MS);
  });

  it('[BAD-204] does not run away when the steady clock of one process differs from the others', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    const right = new StoreClock(clock);
    record.write(right);
    const began = record.see(right).now;
    const skewed = [3 * HOUR_MS, -3 * HOUR_MS].map((steadyMs) => new StoreClock(another(clock, { steadyMs })));
    // What the first look costs is spent once, and not again with every record of the others.
    record.write(...skewed);
    const afterFirst = record.see(right).now;
    expect(afterFirst - began).toBeLessThanOrEqual(3 * HOUR_MS);
    for (let second = 0; second < 100; second++) {
      await clock.advance(2000);
      record.write(right, ...skewed);
    }
    const passedMs = record.see(right).now - afterFirst;
    expect(passedMs).toBeGreaterThanOrEqual(200_000);
    expect(passedMs).toBeLessThan(500_000);
  });

  it('[BAD-205] believes no wall clock that another process contradicts', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    const right = new StoreClock(clock);
    const ahead = new StoreClock(another(clock, { wallMs: 3 * HOUR_MS }));
    record.write(right);
    for (let minute = 0; minute < 60; minute++) {
      for (let write = 0; write < 30; write++) {
        await clock.advance(2000);
        record.write(ahead);
      }
      if (minute % 9 === 8) record.write(right);
    }
    expect(record.see(ahead)).toMatchObject({ now: clock.now(), certain: clock.now() });
  });

  it('[BAD-205] follows wall clocks that were all set forwards, as after a pause of the whole machine', async () => {
    const clock = createFakeClock();
    const record = openRecord();
    const both = [new StoreClock(clock), new StoreClock(clock)];
    record.write(...both);
    clock.adjust(8 * HOUR_MS);
    for (let minute = 0; minute < 12; minute++) {
      await clock.advance(MINUTE_MS);
      record.write(...both);
    }
    for (const one of both) expect(record.see(one).now).toBe(clock.now());
    clock.adjust(-8 * HOUR_MS);
    const { now } = record.see(both[0] as StoreClock);
    await clock.advance(HOUR_MS);
    record.write(...both);
    expect(record.see(both[0] as StoreClock).now).toBe(now + HOUR_MS);
  });

  it('[BAD-204] goes on when a steady clock begins anew, as that of a restored machine does', async () => {
    const clock = createFakeClock();
    let restoredMs = 0;
    const boot = 'one';
    const own = new StoreClock({ ...clock, steady: () => ({ ms: clock.monotonic() - restoredMs, boot }) });
    await clock.advance(HOUR_MS);
    own.see(undefined);
    const { now } = own.time();
    restoredMs = HOUR_MS;
    const record = openRecord();
    record.write(own);
    await clock.advance(MINUTE_MS);
    expect(record.see(own).now).toBe(now + MINUTE_MS);
  });
});
