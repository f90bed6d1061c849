import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { isAlive, toProcessRef } from '../../../src/process/process-ref.ts';
import { share } from '../../share.ts';
import { textOf } from '../open-host.ts';
import { describeKills, MOMENTS, NEWER_HTTP, OLDER_HTTP, STDIO } from './describe-kills.ts';
import { openKept, untilOver } from './open-kept.ts';

describeKills({ ...STDIO, moments: share(MOMENTS, { every: 2 }) });

// Every moment over HTTP is in test/real/kills.
it.each([NEWER_HTTP, OLDER_HTTP])(
  '[FIRST-130] [FIRST-155] a host that is killed in the middle of a call $way: the next one gives its result once',
  async ({ open }) => {
    const desk = await open();
    await desk.killHost('hold', 'a');
    await desk.open('a');
    const { calls } = await desk.next();
    expect((await Promise.all(calls.map((call) => call.outcome()))).map(textOf)).toEqual(['a is open']);
    expect(desk.runs('hold a')).toBe(1);
  },
);

it('[FIRST-131] a result is also found by a host that took up the call before, and connects when the keeper has gone', async () => {
  const desk = await openKept();
  await desk.killHost('hold', 'a');
  const host = await desk.host();
  const [call] = await host.resume();
  await desk.open('a');
  await untilOver(desk);
  await host.connect('made', desk.command('handmade-server', desk.dir));
  expect(call && textOf(await call.outcome())).toBe('a is open');
  expect(desk.runs('hold a')).toBe(1);
});

it('[FIRST-149] a keeper whose ledger is deleted while no host is there ends, and its server, although a call is open', async () => {
  const desk = await openKept();
  await desk.killHost('hold', 'a');
  const [keeper] = desk.keepers();
  const server = toProcessRef(Number(desk.notes()[0]?.replace('runs ', '')));
  expect([keeper && isAlive(keeper), isAlive(server)]).toEqual([true, true]);
  await rm(dirname(desk.ledger), { recursive: true });
  await until(() => !(keeper && isAlive(keeper)) && !isAlive(server), { what: 'their end', timeoutMs: 60_000 });
  expect(existsSync(dirname(desk.ledger))).toBe(false);
});
