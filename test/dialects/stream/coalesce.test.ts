import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/dialects/stream/run-event.ts';
import { coalesce, merge } from '../../../src/dialects/stream/server/coalesce.ts';

const NOW = Date.UTC(2030, 0, 1);
const LATE = new Date(NOW - 1000).toISOString();

type Told = Omit<RunEvent, 'seq' | 'ts'>;

const raw = (text: string): Told => ({ source: 'raw', text });
const progress = (value: number): Told => ({ source: 'system', event: { type: 'progress', value } });
const update = (id: string, text: string): Told => ({
  source: 'codex',
  event: { type: 'item.updated', item: { id, text } },
});
const status: Told = { source: 'system', event: { type: 'status', status: 'running' } };

const number = (told: readonly Told[], ts = LATE): RunEvent[] =>
  told.map((one, index) => ({ ...one, seq: index + 1, ts }));

async function* from(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}

async function tell(events: AsyncGenerator<RunEvent>): Promise<RunEvent[]> {
  const told: RunEvent[] = [];
  for await (const event of coalesce(events, () => NOW)) told.push(event);
  return told;
}

describe('events that come late', () => {
  it('[STREAM-34] are put together where the last says it all, and stand for every number', async () => {
    const events = [
      progress(0.1),
      progress(0.2),
      raw('a'),
      raw('b'),
      raw('c'),
      status,
      update('x', '1'),
      update('x', '2'),
    ];
    expect(await tell(from(number(events)))).toEqual([
      { ...progress(0.2), seq: 2, from: 1, ts: LATE },
      { ...raw('a\nb\nc'), seq: 5, from: 3, ts: LATE },
      { ...status, seq: 6, ts: LATE },
      { ...update('x', '2'), seq: 8, from: 7, ts: LATE },
    ]);
  });

  it('[STREAM-34] stay apart where each says something of its own', () => {
    const pairs: readonly [Told, Told][] = [
      [status, status],
      [raw('a'), { source: 'stderr', text: 'b' }],
      [update('x', '1'), update('y', '1')],
      [raw('a'), { ...raw('b'), truncated: true, originalLength: 60_000 }],
      [raw('a'.repeat(10_000)), raw('b'.repeat(10_000))],
      [progress(1), raw('a')],
    ];
    for (const pair of pairs) {
      const [first, second] = number(pair) as [RunEvent, RunEvent];
      expect(merge(first, second)).toBeUndefined();
    }
  });

  it('[STREAM-34] are told as soon as nothing more has come', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    async function* events() {
      yield* number([raw('a'), raw('b')]);
      await gate;
      yield { ...raw('c'), seq: 3, ts: LATE };
    }
    const told = coalesce(events(), () => NOW);
    expect((await told.next()).value).toMatchObject({ text: 'a\nb', from: 1, seq: 2 });
    open();
    expect((await told.next()).value).toEqual({ ...raw('c'), seq: 3, ts: LATE });
  });

  it('[STREAM-34] can be left while the next one is waited for', async () => {
    async function* events(): AsyncGenerator<RunEvent> {
      yield* number([raw('a')]);
      await new Promise(() => {});
    }
    const told = coalesce(events(), () => NOW);
    expect((await told.next()).value).toMatchObject({ text: 'a' });
    expect(await told.return(undefined)).toEqual({ done: true, value: undefined });
  });
});

describe('events that come in time', () => {
  it('[STREAM-34] are passed on one by one', async () => {
    const events = number([progress(0.1), progress(0.2), raw('a'), raw('b')], new Date(NOW - 10).toISOString());
    expect(await tell(from(events))).toEqual(events);
  });
});
