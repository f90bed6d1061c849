import { describe, expect, it } from 'vitest';
import { mayRepeat } from '../../src/host/calls/sending/may-repeat.ts';
import type { HostTool } from '../../src/host/servers/host-tool.ts';
import { openDesk, textOf } from './open-host.ts';
import { killServers } from './servers/kill-servers.ts';

async function openMade() {
  const desk = await openDesk();
  const open = async () => {
    const host = await desk.host();
    await host.connect('made', desk.command('handmade-server', desk.dir));
    return host;
  };
  return { desk, open, host: await open() };
}

describe('a call with a key', () => {
  it('[FIRST-120] is joined by the same key while it is pending, in this process and in another', async () => {
    const { desk, open, host } = await openMade();
    const other = await open();
    const first = await host.call('made', 'hold', { gate: 'a' }, { key: 'k' });
    await desk.untilNoted('hold a');
    const again = await host.call('made', 'hold', { gate: 'a' }, { key: 'k' });
    const there = await other.call('made', 'hold', { gate: 'a' }, { key: 'k', ack: 'auto' });
    expect([again.callId, there.callId]).toEqual([first.callId, first.callId]);
    await desk.open('a');
    const outcomes = await Promise.all([first, again, there].map((call) => call.outcome()));
    expect(outcomes.map(textOf)).toEqual(['a is open', 'a is open', 'a is open']);
    expect(await first.ack()).toBe(false);
    expect(desk.notes().filter((line) => line === 'hold a')).toHaveLength(1);
  });

  it('[FIRST-120] is joined after its end, also by the next host, and made once by two at the same time', async () => {
    const { desk, open, host } = await openMade();
    const both = await Promise.all([1, 2].map(() => host.call('made', 'count', {}, { key: 'k' })));
    expect(textOf(await (both[0] as (typeof both)[0]).outcome())).toBe('1');
    await host.close();
    const next = await open();
    const again = await next.call('made', 'count', {}, { key: 'k' });
    expect([again.callId, textOf(await again.outcome())]).toEqual([both[1]?.callId, '1']);
    expect(await again.ack()).toBe(true);
    expect(textOf(await (await next.call('made', 'count', {}, { key: 'k' })).outcome())).toBe('1');
    expect(desk.errors).toEqual([]);
  });

  it('[FIRST-121] is refused for another tool or other arguments, by a message without them', async () => {
    const { host } = await openMade();
    const { callId } = await host.call('made', 'count', { secret: 'one' }, { key: 'k' });
    const conflict = {
      code: 'IDEMPOTENCY_CONFLICT',
      message: expect.stringContaining(`"k" is that of call ${callId}`),
    };
    await expect(host.call('made', 'count', { secret: 'two' }, { key: 'k' })).rejects.toMatchObject(conflict);
    await expect(host.call('made', 'hold', { secret: 'one' }, { key: 'k' })).rejects.toMatchObject(conflict);
    await expect(host.call('made', 'count', { secret: 'two' }, { key: 'k' })).rejects.not.toThrow('two');
  });
});

describe('whether a call is sent again', () => {
  const toTool = (annotations: HostTool['annotations']): HostTool =>
    ({ name: 't', inputSchema: {}, annotations }) as HostTool;
  const both = { idempotentHint: true, readOnlyHint: true };

  it.each([
    { own: undefined, ofServer: undefined, hints: both, isSent: true },
    { own: undefined, ofServer: undefined, hints: { idempotentHint: true }, isSent: false },
    { own: undefined, ofServer: undefined, hints: { readOnlyHint: true }, isSent: false },
    { own: undefined, ofServer: undefined, hints: undefined, isSent: false },
    { own: 'never', ofServer: 'idempotent', hints: both, isSent: false },
    { own: 'idempotent', ofServer: 'never', hints: undefined, isSent: true },
    { own: undefined, ofServer: 'never', hints: both, isSent: false },
    { own: undefined, ofServer: 'idempotent', hints: undefined, isSent: true },
  ] as const)('[FIRST-122] call $own, server $ofServer, tool $hints: $isSent', ({ own, ofServer, hints, isSent }) => {
    const record = own === undefined ? {} : { repeat: own };
    const spec = ofServer === undefined ? {} : { repeat: ofServer };
    expect(mayRepeat({ record, server: { spec } }, toTool(hints))).toBe(isSent);
  });

  it('[FIRST-122] is decided when its server dies under it', async () => {
    const { desk, host } = await openMade();
    const calls = [
      await host.call('made', 'read', { gate: 'a' }),
      await host.call('made', 'put', { gate: 'b' }),
      await host.call('made', 'put', { gate: 'c' }, { repeat: 'idempotent' }),
      await host.call('made', 'read', { gate: 'd' }, { repeat: 'never' }),
    ];
    for (const line of ['read a', 'put b', 'put c', 'read d']) await desk.untilNoted(line);
    killServers('handmade-server', desk.dir);
    for (const gate of ['a', 'b', 'c', 'd']) await desk.open(gate);
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['result', 'interrupted', 'result', 'interrupted']);
  });
});
