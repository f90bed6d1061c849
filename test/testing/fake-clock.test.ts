import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../src/testing/fake-clock.ts';

describe('a fake clock', () => {
  it('stands still until it is moved', async () => {
    const clock = createFakeClock(1000);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it('runs due timers in the order of their times, each at its own time', async () => {
    const clock = createFakeClock(0);
    const ran: [string, number][] = [];
    for (const [name, ms] of [
      ['late', 30],
      ['first', 10],
      ['second', 10],
      ['never', 41],
    ] as const) {
      clock.after(ms, () => ran.push([name, clock.now()]));
    }
    await clock.advance(40);
    expect(ran).toEqual([
      ['first', 10],
      ['second', 10],
      ['late', 30],
    ]);
    expect(clock.now()).toBe(40);
  });

  it('runs timers that a timer sets, also after what it awaits, when they fall due', async () => {
    const clock = createFakeClock(0);
    const ran: number[] = [];
    const tick = () => {
      ran.push(clock.now());
      void Promise.resolve().then(() => clock.after(10, tick));
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
  });

  it('does not run a timer that was called off', async () => {
    const clock = createFakeClock(0);
    let runs = 0;
    const off = clock.after(10, () => {
      runs += 1;
    });
    off();
    await clock.advance(100);
    expect(runs).toBe(0);
  });

  it('runs a timer without delay, or with a negative one, at the next move', async () => {
    const clock = createFakeClock(0);
    const ran: string[] = [];
    clock.after(0, () => ran.push('zero'));
    clock.after(-5, () => ran.push('negative'));
    expect(ran).toEqual([]);
    await clock.advance(0);
    expect(ran).toEqual(['zero', 'negative']);
  });
});
