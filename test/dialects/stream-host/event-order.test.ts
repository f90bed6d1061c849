import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { EventOrder } from '../../../src/dialects/stream/event-order.ts';

function open() {
  const clock = createFakeClock();
  const seen: (number | string)[] = [];
  const order = new EventOrder<number>({
    clock,
    release: (event) => void seen.push(event),
    miss: (from, to) => void seen.push(`${from}-${to}`),
  });
  return { clock, seen, order, add: (...seqs: number[]) => seqs.forEach((seq) => void order.add(seq, seq)) };
}

describe('events', () => {
  it('[SHOST-06] come out in order and once, however they come in', () => {
    const { seen, add } = open();
    add(1, 3, 2, 3, 1, 5, 4, 4);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('[SHOST-06] that stay away are reported once, after a short wait', async () => {
    const { seen, add, clock } = open();
    add(1, 4, 6);
    expect(seen).toEqual([1]);
    await clock.advance(600);
    expect(seen).toEqual([1, '2-3', 4]);
    await clock.advance(600);
    expect(seen).toEqual([1, '2-3', 4, '5-5', 6]);
    add(2, 5, 7);
    expect(seen.at(-1)).toBe(7);
    expect(seen).toHaveLength(6);
  });

  it('[SHOST-06] are not held without bound', () => {
    const { seen, add } = open();
    add(1);
    for (let seq = 3; seq < 1000; seq++) add(seq);
    expect(seen.slice(0, 3)).toEqual([1, '2-2', 3]);
    expect(seen).toHaveLength(999);
  });

  it('[SHOST-06] may begin with any number, and then nothing is missing before it', async () => {
    const { seen, add, clock } = open();
    add(42, 41, 43);
    expect(seen).toEqual([]);
    await clock.advance(600);
    expect(seen).toEqual([41, 42, 43]);
  });

  it('[SHOST-06] that their sender calls lost are reported once', async () => {
    const { seen, add, order, clock } = open();
    add(1);
    order.skip(2, 9);
    order.skip(5, 8);
    add(10, 12);
    order.skip(11, 11);
    await clock.advance(600);
    expect(seen).toEqual([1, '2-9', 10, '11-11', 12]);
  });

  it('[SHOST-06] that stand for several numbers fill all of them', async () => {
    const { seen, add, order, clock } = open();
    add(1);
    order.add(5, 25, 2);
    add(3, 8);
    order.add(9, 69, 6);
    add(10);
    // After a new beginning the same may come apart, or put together in another way.
    order.add(12, 1012, 8);
    add(11, 12, 13);
    await clock.advance(600);
    expect(seen).toEqual([1, 25, 69, 10, 1012, 13]);
  });

  it('[SHOST-06] all come out at the end', () => {
    const { seen, add, order } = open();
    add(1, 3, 7);
    order.end();
    expect(seen).toEqual([1, '2-2', 3, '4-6', 7]);
  });
});
