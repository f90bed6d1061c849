import type { HostTool, Notification } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { openDesk } from './open-host.ts';

async function openHandmade() {
  const desk = await openDesk();
  const host = await desk.host();
  await host.connect('made', desk.command('handmade-server', desk.dir));
  return { desk, host };
}

describe('requests that are no calls', () => {
  it('[FIRST-100] tells what a server says of itself', async () => {
    const { host } = await openHandmade();
    expect(await host.server('made')).toEqual({
      protocolVersion: '2025-11-25',
      era: 'legacy',
      capabilities: { tools: { listChanged: true }, resources: {}, 'x-own': { asks: false } },
      implementation: { name: 'handmade', version: '1.2.3', title: 'Made by hand' },
      instructions: 'Open gates with files.',
    });
    await expect(host.server('nobody')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });

  it('[FIRST-101] passes on any request, and gives back results and errors as they are', async () => {
    const { host } = await openHandmade();
    const resources = [{ uri: 'made://one', name: 'one', _meta: { 'x-own': 1 } }];
    expect(await host.request('made', 'resources/list')).toEqual({ kind: 'result', result: { resources } });
    const params = { deep: [{ some: null }], _meta: { progressToken: 7 } };
    expect(await host.request('made', 'x/echo', params)).toEqual({ kind: 'result', result: { echoed: params } });
    expect(await host.request('made', 'x/unknown')).toEqual({
      kind: 'error',
      error: { code: -32601, message: 'no x/unknown', data: { asked: 'x/unknown' } },
    });
    await expect(host.request('made', '')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await host.calls()).toEqual([]);
  });

  it('[FIRST-102] tells the server when nobody waits for an answer any longer', async () => {
    const { desk, host } = await openHandmade();
    const stop = new AbortController();
    const waiting = host.request('made', 'x/wait', {}, { signal: stop.signal });
    waiting.catch(() => {});
    await desk.untilNoted('waits');
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await desk.untilNoted('told notifications/cancelled');
  });

  it('[FIRST-103] hears what a server tells, and tells it something', async () => {
    const { desk, host } = await openHandmade();
    const heard: Notification[] = [];
    const stop = host.onNotification('made', (notification) => void heard.push(notification));
    await host.request('made', 'x/tell', { n: 1 });
    await until(() => heard.length === 1, { what: 'the notification' });
    expect(heard).toEqual([{ method: 'notifications/x/told', params: { n: 1 } }]);
    stop();
    await host.request('made', 'x/tell', { n: 2 });
    await host.notify('made', 'notifications/roots/list_changed');
    await desk.untilNoted('told notifications/roots/list_changed');
    expect(heard).toHaveLength(1);
  });
});

describe('tools of a server', () => {
  it('[FIRST-104] have types, and keep what nobody here knows', async () => {
    const { host } = await openHandmade();
    const tools = await host.tools('made');
    const read = tools.find(({ name }) => name === 'read');
    expect(read?.annotations?.idempotentHint).toBe(true);
    expectTypeOf(read?.annotations?.readOnlyHint).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(tools).toEqualTypeOf<readonly HostTool[]>();
  });
});
