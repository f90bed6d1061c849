/** Jobs on a server of ours: asked for by the call, followed as the tasks they are. */
import type { HostOptions, ServerSpec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite } from '../e2e/site.ts';
import { openHttp } from '../server/open-http.ts';
import { collect, type Desk, openDesk, textOf } from './open-host.ts';
import { fetchLegacy } from './servers/reach-legacy.ts';

const JOB = { meta: { 'holdfast/job': true } };
const SURE: HostOptions = { onQuestion: () => ({ action: 'accept', content: { sure: true, really: true } }) };

describe.each(['2026', '2025'])('a job on a Holdfast server of %s over HTTP', (era) => {
  async function connect(desk: Desk, options = SURE) {
    const rig = await openHttp();
    const url = await rig.serve();
    const spec: ServerSpec = era === '2025' ? { url, fetch: fetchLegacy } : { url };
    const host = await desk.host(options);
    await host.connect('test', spec);
    return { rig, host, spec };
  }

  it('[HOST-47] ends with the result of the tool, and tells its estimate', async () => {
    const desk = await openDesk();
    const { rig, host } = await connect(desk);
    const call = await host.call('test', 'wait', {}, JOB);
    for await (const { type } of call.updates()) if (type === 'estimate') break;
    rig.open();
    expect(textOf(await call.outcome())).toBe('waited');
    const [{ handle } = {}] = await host.calls();
    expect(handle).toMatchObject({ dialect: 'job', canWait: true });
  });

  it('[HOST-47] puts its questions to the handler', async () => {
    const desk = await openDesk();
    const { host } = await connect(desk);
    const call = await host.call('test', 'confirm', {}, JOB);
    expect(textOf(await call.outcome())).toBe('sure: true');
    const types = (await collect(call.updates())).map(({ type }) => type);
    expect(types.filter((type) => type === 'question')).toHaveLength(1);
  });

  it('[HOST-47] is taken up by a host that was restarted, and cancelled by it', async () => {
    const desk = await openDesk();
    const { rig, host, spec } = await connect(desk);
    await host.call('test', 'wait', { gate: 'a' }, JOB);
    await host.call('test', 'wait', { gate: 'never' }, JOB);
    await until(async () => (await host.calls()).every(({ handle }) => handle !== undefined), { what: 'handles' });
    await host.close();
    const second = await desk.host();
    await second.connect('test', spec);
    const [a, never] = await second.resume();
    rig.open('a');
    expect(textOf((await a?.outcome()) as never)).toBe('waited');
    await never?.cancel('enough');
    expect(await never?.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
  });
});

describe.each(['2026', '2025'])('a job on a Holdfast server of %s on stdio', (era) => {
  it('[HOST-47] ends with the result of the tool, with its progress on the way, and with its question answered', async () => {
    const desk = await openDesk();
    const site = await openSite();
    const host = await desk.host(SURE);
    const start = era === '2025' ? desk.legacy : desk.command;
    await host.connect('reports', start('reports-server', site.dir));
    const [render, publish] = await Promise.all([
      host.call('reports', 'render', { ms: 200, label: 'a' }, JOB),
      host.call('reports', 'publish', {}, JOB),
    ]);
    expect(textOf(await render.outcome())).toBe('a rendered');
    expect(textOf(await publish.outcome())).toBe('published');
    const updates = await collect(render.updates());
    expect(updates).toContainEqual(expect.objectContaining({ type: 'progress', value: 0.25 }));
    expect(site.runs().sort()).toEqual(['publish 1', 'render a 1']);
  });
});

it('[HOST-55] a job that its server names after the cancel, and does not stop, is not said to have been stopped', async () => {
  const desk = await openDesk();
  const host = await desk.host();
  await host.connect('jobs', desk.command('host-job-server', desk.dir));
  const call = await host.call('jobs', 'sync', { label: 'late', gate: 'never', whenCancelled: true });
  await until(() => desk.notes().includes('sync late 1'), { what: 'the job' });
  expect(await call.cancel('enough')).toBe('refused');
});
