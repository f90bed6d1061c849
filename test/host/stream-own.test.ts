/** Streamed runs on a server of ours: shown by the stream, followed as the tasks they are. */
import type { CallUpdate, Host } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite } from '../e2e/site.ts';
import { collect, type Desk, openDesk, textOf } from './open-host.ts';
import { killServers } from './servers/kill-servers.ts';

const STREAM = { meta: { stream: true } };
const ITEM = { id: 'item_1', type: 'agent_message', text: 'First line.\nSecond line.' };
const PIECES = [
  { source: 'codex', event: { type: 'item.completed', item: ITEM } },
  { source: 'stderr', text: 'a warning of the program' },
];

/** Every status may come twice or not at all, depending on how fast the work is; what is said may not. */
const spoken = (updates: readonly CallUpdate[]) => updates.flatMap((one) => (one.type === 'text' ? [one.text] : []));

const untilHandle = (host: Host) =>
  until(async () => (await host.calls())[0]?.handle, { what: 'the handle', timeoutMs: 60_000 });

describe.each(['2026', '2025'])('a streamed call on a Holdfast server of %s', (era) => {
  const reach = (desk: Desk, program: string, ...args: string[]) =>
    era === '2025' ? desk.legacy(program, ...args) : desk.command(program, ...args);

  it('[SHOST-01] [SHOST-07] [SHOST-11] shows what is said as it comes, loses none of it, ends with the whole result, or is cancelled', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('app', reach(desk, 'stream-server'));
    const result = { content: [{ type: 'text', text: 'The end' }], structuredContent: { answer: 42 } };
    const call = await host.call('app', 'window_run', { pieces: PIECES, gate: 'a', result });
    const updates = call.updates();
    const seen: CallUpdate[] = [];
    while (spoken(seen).length < 2) {
      const { value } = await updates.next();
      if (!value) throw new Error(`the updates ended after ${JSON.stringify(seen)}`);
      seen.push(value);
    }
    expect((await untilHandle(host)).dialect).toBe('stream');
    await (await host.call('app', 'open', { gate: 'a' })).outcome();
    expect(await call.outcome()).toEqual({ kind: 'result', result, isError: false });
    seen.push(...(await collect(updates)));
    expect(spoken(seen)).toEqual([ITEM.text, expect.stringContaining('stderr a warning of the program')]);
    expect(seen.filter(({ type }) => type === 'gap')).toEqual([]);

    const many = await host.call('app', 'asked', { lines: 2000 }, STREAM);
    // Lines that come late come together.
    const said = spoken(await collect(many.updates())).flatMap((text) => text.split('\n'));
    const lines = said.map((line) => Number(/^(?:\[.+\] raw )?(\d+)/.exec(line)?.[1]));
    expect(lines).toEqual(Array.from({ length: 2000 }, (_, index) => index));

    const stopped = await host.call('app', 'asked', { pieces: PIECES, gate: 'never' }, STREAM);
    for await (const { type } of stopped.updates()) if (type === 'text') break;
    await stopped.cancel('enough');
    expect(await stopped.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
  });
});

describe('a streamed call on a Holdfast server', () => {
  it('[SHOST-10] outlives its server: the outcome is asked for', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host();
    await host.connect('reports', desk.command('reports-server', site.dir));
    const call = await host.call('reports', 'render', { ms: 2000, label: 'a' }, STREAM);
    await site.untilRuns(1);
    await untilHandle(host);
    killServers('reports-server', site.dir, await site.workerPid());
    expect(textOf(await call.outcome())).toBe('a rendered');
    expect(site.runs()).toEqual(['render a 1']);
  });

  it('[SHOST-12] outlives its host: the next one asks for the outcome', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.legacy('reports-server', site.dir);
    const first = await desk.host();
    await first.connect('reports', spec);
    await first.call('reports', 'render', { ms: 1000, label: 'b' }, STREAM);
    await site.untilRuns(1);
    expect(await untilHandle(first)).toMatchObject({ dialect: 'stream' });
    await first.close();
    const second = await desk.host();
    await second.connect('reports', spec);
    const [call] = await second.resume();
    expect(textOf((await call?.outcome()) as never)).toBe('b rendered');
    expect(site.runs()).toEqual(['render b 1']);
  });
});
