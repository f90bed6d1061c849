import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { textOf } from '../open-host.ts';
import { openKeptHttp } from './open-kept.ts';

const untilOver = (desk: Awaited<ReturnType<typeof openKeptHttp>>) =>
  until(() => desk.keepers().length === 0, { what: 'the end of the keeper', timeoutMs: 60_000 });

const POINTS = {
  'before the call is sent': 'call-create:after',
  'when the server has it': undefined,
  'when the answer is there': 'call-settle:before',
  'when the answer is on disk': 'call-settle:after',
  'before it is acknowledged': 'call-ack:before',
} as const;

describe('a host that is killed during a call over HTTP to a server that knows no tasks', () => {
  it.each([
    ['newer', 'before the call is sent'],
    ['newer', 'when the server has it'],
    ['newer', 'when the answer is there'],
    ['newer', 'when the answer is on disk'],
    ['newer', 'before it is acknowledged'],
    ['older', 'when the server has it'],
  ] as const)('[FIRST-155] %s era, %s: the next one gives its result once, and it ran once', async (era, when) => {
    const desk = await openKeptHttp(era);
    const point = POINTS[when];
    if (point !== undefined) await desk.open('a');
    await desk.killHost('hold', 'a', point);
    await desk.open('a');
    const { host, calls } = await desk.next();
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(textOf)).toEqual(['a is open']);
    expect(await calls[0]?.ack()).toBe(true);
    expect(await host.resume()).toEqual([]);
    expect(desk.notes()).toEqual(['hold a']);
    await host.close();
    await untilOver(desk);
    expect(desk.errors).toEqual([]);
  });

  it('[FIRST-155] finds the result in the ledger, although nobody was there when it came', async () => {
    const desk = await openKeptHttp('newer');
    await desk.killHost('hold', 'a');
    await desk.open('a');
    await untilOver(desk);
    const host = await desk.host({ keeper: true });
    const [call] = await host.resume();
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.notes()).toEqual(['hold a']);
  });

  it('[FIRST-156] gets what came on a stream that was cut meanwhile, from its last event id on', async () => {
    const desk = await openKeptHttp('older');
    await desk.killHost('cut', 'a');
    await desk.untilNoted('resumed');
    await desk.open('a');
    await untilOver(desk);
    const host = await desk.host({ keeper: true });
    const [call] = await host.resume();
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.runs('cut a')).toBe(1);
  });

  it('[FIRST-157] hears what the server asked while nobody was there', async () => {
    const desk = await openKeptHttp('older');
    await desk.open('a');
    await desk.killHost('ask', 'a');
    const onQuestion = () => ({ action: 'accept', content: { name: 'Ada' } });
    const { calls } = await desk.next({ onQuestion });
    expect(calls[0] && textOf(await calls[0].outcome())).toBe('a is Ada');
    expect(desk.notes()).toEqual(['ask a']);
  });

  it.each(['older', 'newer'] as const)('[FIRST-157] cancels what the killed one had sent, %s era', async (era) => {
    const desk = await openKeptHttp(era);
    await desk.killHost('hold', 'a');
    const { calls } = await desk.next();
    await calls[0]?.cancel('enough');
    expect(await calls[0]?.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted('cancelled a');
  });
});

describe('a keeper of calls over HTTP that is killed', () => {
  it.each([
    { tool: 'hold', kind: 'interrupted', runs: 1 },
    { tool: 'read', kind: 'result', runs: 2 },
  ])('[FIRST-158] with its host: $tool ends as $kind', async ({ tool, kind, runs }) => {
    const desk = await openKeptHttp('newer');
    await desk.killHost(tool, 'a');
    await desk.killKeeper();
    await desk.open('a');
    const { calls } = await desk.next();
    expect(await calls[0]?.outcome()).toMatchObject({ kind });
    expect(desk.runs(`${tool} a`)).toBe(runs);
  });

  it('[FIRST-158] under a host that lives: what may not be repeated is interrupted, the rest comes back', async () => {
    const desk = await openKeptHttp('newer');
    const { host } = await desk.next();
    const calls = [await host.call('made', 'hold', { gate: 'a' }), await host.call('made', 'read', { gate: 'a' })];
    for (const tool of ['hold', 'read']) await desk.untilNoted(`${tool} a`);
    await desk.killKeeper();
    await desk.open('a');
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['interrupted', 'result']);
  });
});

describe('a host that lives, with calls over HTTP that are held by a keeper', () => {
  it('[FIRST-157] cancels its calls, in both eras', async () => {
    const cancel = async (era: 'older' | 'newer') => {
      const desk = await openKeptHttp(era);
      const { host } = await desk.next();
      const call = await host.call('made', 'hold', { gate: 'a' });
      await desk.untilNoted('hold a');
      await call.cancel('enough');
      expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
      await desk.untilNoted('cancelled a');
    };
    await Promise.all([cancel('older'), cancel('newer')]);
  });

  it('[FIRST-155] closes, and its call goes on', async () => {
    const desk = await openKeptHttp('newer');
    const { host } = await desk.next();
    const { callId } = await host.call('made', 'hold', { gate: 'a' });
    await desk.untilNoted('hold a');
    await host.close();
    await desk.open('a');
    await untilOver(desk);
    const [call] = await (await desk.host({ keeper: true })).resume();
    expect(call?.callId).toBe(callId);
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.notes()).toEqual(['hold a']);
  });
});
