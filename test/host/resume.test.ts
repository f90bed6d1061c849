import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../crash/judge.ts';
import { openSite } from '../e2e/site.ts';
import { shareRig } from '../shared-rig.ts';
import { openDesk, textOf } from './open-host.ts';
import { killServers } from './servers/kill-servers.ts';
import { fetchLegacy } from './servers/reach-legacy.ts';

const only = <T>([first, ...others]: readonly T[]): T => {
  if (first === undefined || others.length > 0) throw new Error(`expected one, got ${others.length + (first ? 1 : 0)}`);
  return first;
};

describe('a host that comes after another', () => {
  it('[HOST-26] gives back every call not acknowledged, pending or ended, until it is', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const first = await desk.host();
    await first.connect('reports', spec);
    const quick = await first.call('reports', 'greet', { name: 'Ada' });
    const auto = await first.call('reports', 'greet', { name: 'Bob' }, { ack: 'auto' });
    await first.call('reports', 'render', { ms: 1500, label: 'a' }, { sessionId: 'x' });
    await quick.outcome();
    await auto.outcome();
    await site.untilRuns(1);
    await first.close();

    const second = await desk.host();
    const calls = await second.resume();
    expect(calls.map(({ tool }) => tool)).toEqual(['greet', 'render']);
    expect(await second.calls({ sessionId: 'x' })).toHaveLength(1);
    await second.connect('reports', spec);
    expect(await Promise.all(calls.map(async (call) => textOf(await call.outcome())))).toEqual([
      'Hello, Ada!',
      'a rendered',
    ]);
    for (const call of calls) expect([await call.ack(), await call.ack()]).toEqual([true, false]);
    expect(await second.resume()).toEqual([]);
    expect(site.runs()).toEqual(['render a 1']);
  });

  it('[SEC-310] says which server is missing while nobody has connected it', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const first = await desk.host();
    await first.connect('reports', spec);
    await first.call('reports', 'render', { ms: 500, label: 'a' });
    await site.untilRuns(1);
    await first.close();
    const second = await desk.host();
    const call = only(await second.resume());
    const updates = call.updates();
    expect((await updates.next()).value).toEqual({ type: 'unconnected', server: 'reports' });
    await second.connect('reports', spec);
    expect(textOf(await call.outcome())).toBe('a rendered');
  });

  it('[HOST-27] looks up by its key a call that was cut between sending and handle: it runs once', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const { ended } = startProgram('host-cut', [desk.ledger, site.dir]);
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    const host = await desk.host();
    const call = only(await host.resume());
    expect((await host.calls())[0]?.handle).toBeUndefined();
    await host.connect('reports', spec);
    expect(textOf(await call.outcome())).toBe('cut rendered');
    expect(site.runs()).toEqual(['render cut 1']);
  });

  it('[HOST-17] waits for calls that another host follows, and takes them over when it is gone', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const first = await desk.host();
    await first.connect('reports', spec);
    const call = await first.call('reports', 'render', { ms: 800, label: 'a' });
    await until(async () => (await first.calls())[0]?.handle);
    const second = await desk.host();
    await second.connect('reports', spec);
    const seen = only(await second.resume());
    const left = await first.call('reports', 'render', { ms: 2000, label: 'b' });
    await until(async () => (await first.calls())[1]?.handle);
    const other = (await second.resume()).find(({ callId }) => callId === left.callId);
    expect(await seen.outcome()).toEqual(await call.outcome());
    await first.close();
    expect(textOf(await (other as NonNullable<typeof other>).outcome())).toBe('b rendered');
    expect(site.runs()).toEqual(['render a 1', 'render b 1']);
  });

  it('[HOST-17] cancels what another host follows, and that one hears of it', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const spec = desk.command('reports-server', site.dir);
    const [first, second] = [await desk.host(), await desk.host()];
    await first.connect('reports', spec);
    await second.connect('reports', spec);
    const call = await first.call('reports', 'render', { ms: 60_000, label: 'a' });
    await until(async () => (await first.calls())[0]?.handle);
    await only(await second.resume()).cancel();
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
  });

  it('[HOST-10] finds the work going on: closing a host cancels nothing', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const serving = await site.serve();
    const first = await desk.host();
    await first.connect('reports', { url: serving.url });
    await first.call('reports', 'render', { ms: 1000, label: 'a' });
    await site.untilRuns(1);
    await first.close();
    const task = only((await site.tasks.list({})).tasks);
    await until(async () => (await site.tasks.get(task.taskId)).outcome?.kind === 'result', {
      what: 'the work to end',
    });
  });
});

describe('a server that dies', () => {
  it('[HOST-28] is started again on stdio, and its calls come back', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host();
    await host.connect('reports', desk.command('reports-server', site.dir));
    const calls = await Promise.all(
      ['a', 'b', 'c'].map((label) => host.call('reports', 'render', { ms: 2000, label })),
    );
    await site.untilRuns(3);
    const worker = await site.workerPid();
    killServers('reports-server', site.dir, worker);
    const texts = await Promise.all(calls.map(async (call) => textOf(await call.outcome())));
    expect(texts).toEqual(['a rendered', 'b rendered', 'c rendered']);
    expect(site.runs().sort()).toEqual(['render a 1', 'render b 1', 'render c 1']);
  });

  describe('over HTTP', () => {
    // Both eras are called before the one kill, each by a host of its own.
    const getRig = shareRig(async (atEnd) => {
      const site = await openSite(undefined, undefined, { atEnd });
      const serving = await site.serve();
      const call = async (era: '2026' | '2025') => {
        const host = await (await openDesk({ atEnd })).host();
        await host.connect('reports', { url: serving.url, ...(era === '2025' && { fetch: fetchLegacy }) });
        const labels = [`a-${era}`, `b-${era}`];
        const calls = await Promise.all(labels.map((label) => host.call('reports', 'render', { ms: 2000, label })));
        await until(async () => (await host.calls()).every(({ handle }) => handle !== undefined), { what: 'handles' });
        return calls;
      };
      const [modern, legacy] = await Promise.all([call('2026'), call('2025')]);
      await site.untilRuns(4);
      await serving.kill();
      await site.serve(Number(new URL(serving.url).port));
      return { site, calls: { 2026: modern, 2025: legacy } };
    });

    it.each(['2026', '2025'] as const)(
      '[HOST-28] and comes back over HTTP keeps the calls of %s waiting meanwhile',
      async (era) => {
        const { site, calls } = getRig();
        const texts = await Promise.all(calls[era].map(async (call) => textOf(await call.outcome())));
        expect(texts).toEqual([`a-${era} rendered`, `b-${era} rendered`]);
        const runs = site.runs().filter((line) => line.includes(era));
        expect(runs.sort()).toEqual([`render a-${era} 1`, `render b-${era} 1`]);
      },
    );
  });

  it('[HOST-29] and is not there for as long as a call waits ends it with a name', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const serving = await site.serve();
    const host = await desk.host();
    await host.connect('reports', { url: serving.url });
    await serving.kill();
    const call = await host.call('reports', 'render', { ms: 1 }, { maxWaitMs: 500 });
    expect(await call.outcome()).toMatchObject({ kind: 'error', error: { code: 'CONNECT_FAILED' } });
    await expect(host.connect('nowhere', { command: 'no-such-program-anywhere' })).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
    });
  });
});

describe('waiting', () => {
  it('[HOST-30] ends after maxWaitMs, and the work goes on', async () => {
    const desk = await openDesk();
    const site = await openSite('plain-server');
    const host = await desk.host();
    await host.connect('plain', desk.command('plain-server', site.dir));
    // What takes its time on a busy machine is there before the clock runs.
    const first = await host.call('plain', 'work', { ms: 0 });
    expect(await first.outcome()).toMatchObject({ kind: 'result' });
    const call = await host.call('plain', 'gate', { name: 'a' }, { maxWaitMs: 1500 });
    expect(await call.outcome()).toMatchObject({ kind: 'timed-out' });
    await until(() => site.runs().includes('gate a 1'), { what: 'the work to begin' });
    await writeFile(join(site.dir, 'open-a'), '');
    const ended = async () => (await site.tasks.list({})).tasks.every(({ status }) => status === 'completed');
    await until(ended, { what: 'the work to end' });
    expect(site.runs()).toEqual(['work 1', 'gate a 1']);
  });

  it('[HOST-31] keeps no call in a host without a ledger file', async () => {
    const host = await createHost();
    expect(await host.resume()).toEqual([]);
    await host.close();
    await expect(host.call('x', 'y')).rejects.toMatchObject({ code: 'HOST_CLOSED' });
  });
});
