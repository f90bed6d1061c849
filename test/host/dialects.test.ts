import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type Serving } from '../e2e/site.ts';
import { programPath } from '../programs/program-path.js';
import { type AtEnd, shareRig } from '../shared-rig.ts';
import { collect, openDesk, textOf } from './open-host.ts';
import { fetchLegacy } from './servers/reach-legacy.ts';

const ANSWERS = { onQuestion: () => ({ action: 'accept', content: { really: true, copies: 3, name: 'Ada' } }) };

/** The reports server, reached in every way there is. */
const WAYS = ['stdio, 2026', 'stdio, 2025', 'HTTP, 2026', 'HTTP, 2025'] as const;

async function reach(way: (typeof WAYS)[number], atEnd: AtEnd) {
  const site = await openSite('reports-server', programPath, { atEnd });
  const desk = await openDesk({ atEnd });
  const host = await desk.host(ANSWERS);
  let serving: Serving | undefined;
  if (way.startsWith('HTTP')) serving = await site.serve();
  if (serving) await host.connect('reports', { url: serving.url, ...(way.endsWith('2025') && { fetch: fetchLegacy }) });
  else if (way.endsWith('2026')) await host.connect('reports', desk.command('reports-server', site.dir));
  else await host.connect('reports', desk.legacy('reports-server', site.dir));
  return { host, site };
}

describe.each(WAYS)('one call over %s', (way) => {
  const getRig = shareRig((atEnd) => reach(way, atEnd));

  it('[HOST-01] ends with the result of a tool that answers at once, and of one that takes its time', async () => {
    const { host, site } = getRig();
    const quick = await host.call('reports', 'greet', { name: 'Ada' });
    const slow = await host.call('reports', 'render', { ms: 600, label: 'a' });
    expect(textOf(await quick.outcome())).toBe('Hello, Ada!');
    expect(await slow.outcome()).toEqual({
      kind: 'result',
      result: { content: [{ type: 'text', text: 'a rendered' }] },
      isError: false,
    });
    expect(site.runs().filter((line) => line.startsWith('render '))).toEqual(['render a 1']);
    const [{ handle } = {}] = (await host.calls()).filter(({ tool }) => tool === 'render');
    expect(handle?.dialect).toBe(way.endsWith('2026') ? 'tasks-2026' : 'tasks-2025');
  });

  it('[HOST-02] ends with errors as they are: of the tool, of the protocol, of a wrong name', async () => {
    const { host } = getRig();
    const [polite, rude, unknown] = await Promise.all([
      host.call('reports', 'jam', { politely: true }),
      host.call('reports', 'jam'),
      host.call('reports', 'no_such_tool'),
    ]);
    expect(await polite.outcome()).toMatchObject({ kind: 'result', isError: true });
    expect(textOf(await polite.outcome())).toBe('paper jam');
    expect(await rude.outcome()).toMatchObject({ kind: 'error', error: { code: -32050, message: 'paper jam' } });
    expect(await unknown.outcome()).toMatchObject({ kind: 'error', error: { code: -32602 } });
  });

  it('[HOST-03] puts questions of the work to the one handler, before it begins and on its way', async () => {
    const { host } = getRig();
    const publish = await host.call('reports', 'publish');
    const order = await host.call('reports', 'order');
    expect(textOf(await publish.outcome())).toBe('published');
    expect(textOf(await order.outcome())).toBe('3 copies ordered');
    const questions = (await collect(publish.updates())).filter(
      ({ type }) => type === 'question' || type === 'answered',
    );
    expect(questions.map(({ type }) => type)).toEqual(['question', 'answered']);
  });

  it('[HOST-04] [HOSTS-235] an abort cancels the work, whatever it has come to', async () => {
    const { host, site } = getRig();
    const stop = new AbortController();
    const call = await host.call('reports', 'render', { ms: 60_000, label: 'b' }, { signal: stop.signal });
    await until(() => site.runs().includes('render b 1'), { what: 'the work to begin', timeoutMs: 60_000 });
    stop.abort(new Error('no longer wanted'));
    expect(await call.outcome()).toMatchObject({
      kind: 'cancelled',
      reason: expect.stringContaining('no longer wanted'),
    });
    await host.close();
    const { tasks } = await site.tasks.list({ tool: 'render' });
    const aborted = tasks.filter(({ args }) => JSON.stringify(args).includes('"b"'));
    expect(aborted).toMatchObject([{ outcome: { kind: 'cancelled' } }]);
  });
});
