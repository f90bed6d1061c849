import { expect, it } from 'vitest';
import { textOf } from '../open-host.ts';
import { openKeptHttp, untilOver } from './open-kept.ts';

it('[FIRST-156] a stream that is cut while no host is there goes on from its last event id', async () => {
  const desk = await openKeptHttp('older');
  await desk.killHost('cut', 'a');
  await desk.untilNoted('resumed');
  await desk.open('a');
  await untilOver(desk);
  const [call] = await (await desk.host()).resume();
  expect(call && textOf(await call.outcome())).toBe('a is open');
  expect(desk.runs('cut a')).toBe(1);
});

it('[FIRST-155] a host over HTTP closes, and its call goes on', async () => {
  const desk = await openKeptHttp('newer');
  const { host } = await desk.next();
  const { callId } = await host.call('made', 'hold', { gate: 'a' });
  await desk.untilNoted('hold a');
  await host.close();
  await desk.open('a');
  await untilOver(desk);
  const [call] = await (await desk.host()).resume();
  expect(call?.callId).toBe(callId);
  expect(call && textOf(await call.outcome())).toBe('a is open');
  expect(desk.notes()).toEqual(['hold a']);
});
