import { describe, expect, it } from 'vitest';
import { UpdateFeed } from '../../src/host/calls/update-feed.ts';
import { openSite } from '../e2e/site.ts';
import { collect, openDesk } from './open-host.ts';

const toText = (index: number) => ({ type: 'text', text: String(index) }) as const;

describe('updates', () => {
  it('[HOST-35] are the same for early and late readers, and end with the call', async () => {
    const feed = new UpdateFeed();
    const early = collect(feed.read());
    feed.push(toText(1));
    feed.push(toText(2));
    const late = collect(feed.read());
    feed.end();
    feed.push(toText(3));
    expect(await early).toEqual([toText(1), toText(2)]);
    expect(await late).toEqual(await early);
    expect(await collect(feed.read())).toEqual(await early);
  });

  it('[HOST-35] are bounded: who comes late, or reads slowly, sees the last ones and how many are missing', async () => {
    const feed = new UpdateFeed();
    feed.push(toText(0));
    const slow = feed.read();
    expect(await slow.next()).toEqual({ done: false, value: toText(0) });
    for (let index = 1; index < 100_000; index++) feed.push(toText(index));
    feed.end();
    const [missed, ...seen] = await collect(feed.read());
    expect(seen.length).toBeLessThanOrEqual(2000);
    expect(seen.at(-1)).toEqual(toText(99_999));
    expect(missed).toEqual({ type: 'missed', count: 100_000 - seen.length });
    expect(await collect(slow)).toEqual([{ type: 'missed', count: 99_999 - seen.length }, ...seen]);
  });

  it('[HOST-35] tell status and progress of real work as one sequence', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host();
    await host.connect('reports', desk.command('reports-server', site.dir));
    const call = await host.call('reports', 'render', { ms: 1200 });
    const updates = await collect(call.updates());
    expect(updates.filter(({ type }) => type === 'status').length).toBeGreaterThan(0);
    expect(await call.outcome()).toMatchObject({ kind: 'result' });
  });
});
