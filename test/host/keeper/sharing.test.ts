import { once } from 'node:events';
import { createServer } from 'node:net';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openKeeperPlace, writeKeeperNote } from '../../../src/host/keeper/keeper-place.ts';
import { openKeptServer } from '../../../src/host/keeper/open-kept-server.ts';
import { currentProcess } from '../../../src/process/process-ref.ts';
import { textOf } from '../open-host.ts';
import { openKept, openKeptHttp } from './open-kept.ts';

it('[FIRST-145] hosts on one ledger share one process of a server, which ends with the last of them', async () => {
  const desk = await openKept();
  const [a, b] = [await desk.next(), await desk.next()];
  const count = async ({ host }: typeof a) => textOf(await (await host.call('made', 'count')).outcome());
  expect([await count(a), await count(b)]).toEqual(['1', '2']);
  await a.host.close();
  expect(await count(b)).toBe('3');
  await b.host.close();
  expect(desk.notes().filter((line) => line.startsWith('runs '))).toHaveLength(1);
  await until(() => desk.keepers().length === 0, { what: 'the end of the keeper' });
});

it('[FIRST-162] a server has a keeper by default: on stdio from the start, over HTTP from the first call on', async () => {
  const [stdio, http] = [await openKept(), await openKeptHttp('newer')];
  await stdio.next();
  expect(stdio.keepers()).toHaveLength(1);
  const { host } = await http.next();
  await host.tools('made');
  expect(http.keepers()).toEqual([]);
  const call = await host.call('made', 'hold', { gate: 'a' });
  await http.untilNoted('hold a');
  expect(http.keepers()).toHaveLength(1);
  await http.open('a');
  expect(textOf(await call.outcome())).toBe('a is open');
});

it('[FIRST-146] without a keeper a server is a child of its host, and a call that is cut is interrupted', async () => {
  const desk = await openKept();
  const first = await desk.next({ keeper: false });
  await first.host.call('made', 'hold', { gate: 'a' });
  await desk.untilNoted('hold a');
  expect(desk.keepers()).toEqual([]);
  await first.host.close();
  const { calls } = await desk.next({ keeper: false });
  expect(await calls[0]?.outcome()).toMatchObject({ kind: 'interrupted' });
});

it('[FIRST-147] with a codec of the host nothing is written by the keeper, and the next host still gets the answer', async () => {
  const desk = await openKept();
  const codec = {
    encode: (plain: string) => Buffer.from(plain).toString('base64'),
    decode: (kept: string) => Buffer.from(kept, 'base64').toString(),
  };
  const first = await desk.next({ codec });
  await first.host.call('made', 'hold', { gate: 'a' });
  await desk.untilNoted('hold a');
  await first.host.close();
  await desk.open('a');
  const { calls } = await desk.next({ codec });
  await until(() => desk.keepers().length === 1, { what: 'the keeper' });
  expect(calls[0] && textOf(await calls[0].outcome())).toBe('a is open');
  expect(desk.runs('hold a')).toBe(1);
});

it('[FIRST-148] a keeper that does not answer is waited for no longer than a handshake may take', async () => {
  const desk = await openKept();
  await desk.next();
  const [keeper] = desk.keepers();
  process.kill(keeper?.pid ?? 0, 'SIGSTOP');
  try {
    await expect(desk.next({ connectMs: 200 })).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
  } finally {
    process.kill(keeper?.pid ?? 0, 'SIGCONT');
  }
});

it('[FIRST-161] where the program of the keeper is missing, the server is run without one, and that is told', async () => {
  const told: unknown[] = [];
  const options = { name: 'made', ledger: '/nowhere/host.db', canWrite: true, maxAnswerBytes: 1024, connectMs: 1000 };
  const notes = { starts: async () => {}, keeps: async () => {}, runs: () => {}, ends: () => {} };
  // Source lies beside no build.
  const kept = await openKeptServer({
    ...options,
    spec: { command: 'made' },
    notes,
    isRequested: false,
    report: (error) => void told.push(error),
  });
  expect(kept).toBeUndefined();
  expect(told).toMatchObject([{ code: 'SPAWN_FAILED', message: expect.stringMatching(/server made has no keeper/) }]);
});

it('[FIRST-164] a keeper that is just ending lets nobody in, and the host is given the next one', async () => {
  const desk = await openKept();
  const host = await desk.host();
  const spec = desk.command('handmade-server', desk.dir);
  const place = await openKeeperPlace(desk.ledger, 'made', spec);
  let knocks = 0;
  const door = createServer((socket) => {
    knocks += 1;
    door.close();
    socket.destroy();
  });
  await once(door.listen(place.socket), 'listening');
  const ended = { ...currentProcess(), startTime: 'another' };
  await writeKeeperNote(place.note, { socket: place.socket, token: 'of nobody', process: ended });
  await host.connect('made', spec);
  expect(knocks).toBe(1);
  expect(textOf(await (await host.call('made', 'count')).outcome())).toBe('1');
  expect(desk.keepers()).toHaveLength(1);
});
