import { createFakeClock, until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { EventBuffer } from '../../../src/engine/attempts/event-buffer.ts';

const toEvent = (value: number) => ({ type: 'progress', value }) as const;

/** A buffer, the values of each of its writes, and a way to hold them back. */
function openBuffer() {
  const clock = createFakeClock();
  const writes: number[][] = [];
  const held: (() => void)[] = [];
  const state = { holds: false };
  const buffer = new EventBuffer(clock, async (events) => {
    writes.push(events.map((event) => (event.type === 'progress' ? event.value : -1)));
    if (state.holds) await new Promise<void>((resolve) => held.push(resolve));
  });
  return { clock, writes, held, state, buffer, push: (value: number) => buffer.push(toEvent(value)) };
}

describe('a buffer of events', () => {
  it('[STREAM-32] writes the first at once, and those that follow closely together', async () => {
    const { clock, writes, push } = openBuffer();
    await push(1);
    await until(() => writes.length === 1);
    await push(2);
    await push(3);
    await clock.advance(9);
    expect(writes).toEqual([[1]]);
    await clock.advance(1);
    await until(() => writes.length === 2);
    await clock.advance(1000);
    await push(4);
    await until(() => writes.length === 3);
    expect(writes).toEqual([[1], [2, 3], [4]]);
  });

  it('[STREAM-32] makes one write of what comes in one go', async () => {
    const { writes, push } = openBuffer();
    for (let value = 0; value < 10; value++) await push(value);
    await until(() => writes.length > 0);
    expect(writes).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  });

  it('[STREAM-32] writes what comes during a write together, after it', async () => {
    const { clock, writes, held, state, push } = openBuffer();
    state.holds = true;
    await push(1);
    await until(() => held.length === 1);
    await push(2);
    await clock.advance(100);
    await push(3);
    expect(writes).toEqual([[1]]);
    state.holds = false;
    held[0]?.();
    await until(() => writes.length === 2);
    expect(writes).toEqual([[1], [2, 3]]);
  });

  it('[STREAM-32] makes a tool that runs away wait for the disk', async () => {
    const { writes, push } = openBuffer();
    for (let value = 0; value < 1000; value++) await push(value);
    expect(writes.map((values) => values.length)).toEqual([500, 500]);
  });

  it('[STREAM-32] writes nothing of what was taken to be written with something else', async () => {
    const { clock, writes, buffer, push } = openBuffer();
    await push(1);
    expect(buffer.take()).toEqual([toEvent(1)]);
    await clock.advance(1000);
    await push(2);
    await until(() => writes.length > 0);
    expect(writes).toEqual([[2]]);
  });
});
