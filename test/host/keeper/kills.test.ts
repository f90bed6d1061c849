import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { isAlive, toProcessRef } from '../../../src/process/process-ref.ts';
import { textOf } from '../open-host.ts';
import { openKept } from './open-kept.ts';

const untilOver = (desk: Awaited<ReturnType<typeof openKept>>) =>
  until(() => desk.keepers().length === 0, { what: 'the end of the keeper', timeoutMs: 60_000 });

describe('a host that is killed during a call to a server that knows no tasks', () => {
  it.each([
    ['before the call is sent', 'call-create:after'],
    ['when the server has it', undefined],
    ['when the answer is there', 'call-settle:before'],
    ['when the answer is on disk', 'call-settle:after'],
    ['before it is acknowledged', 'call-ack:before'],
  ] as const)('[FIRST-130] %s: the next one gives its result once, and it ran once', async (_when, point) => {
    const desk = await openKept();
    if (point !== undefined) await desk.open('a');
    await desk.killHost('hold', 'a', point);
    await desk.open('a');
    const { host, calls } = await desk.next();
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(textOf)).toEqual(['a is open']);
    expect(await calls[0]?.ack()).toBe(true);
    expect(await host.resume()).toEqual([]);
    expect(desk.runs('hold a')).toBe(1);
    await host.close();
    await untilOver(desk);
    expect(desk.errors).toEqual([]);
  });

  it('[FIRST-131] finds the result in the ledger, although nobody was there when it came', async () => {
    const desk = await openKept();
    await desk.killHost('hold', 'a');
    expect(desk.keepers()).toHaveLength(1);
    await desk.open('a');
    await untilOver(desk);
    const host = await desk.host({ keeper: true });
    const [call] = await host.resume();
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.runs('hold a')).toBe(1);
  });

  it('[FIRST-131] and by one that took up the call before, and connects when the keeper has gone', async () => {
    const desk = await openKept();
    await desk.killHost('hold', 'a');
    const host = await desk.host({ keeper: true });
    const [call] = await host.resume();
    await desk.open('a');
    await untilOver(desk);
    await host.connect('made', desk.command('handmade-server', desk.dir));
    expect(call && textOf(await call.outcome())).toBe('a is open');
    expect(desk.runs('hold a')).toBe(1);
  });

  it('[FIRST-132] hears what the server asked while nobody was there', async () => {
    const desk = await openKept();
    await desk.open('a');
    await desk.killHost('ask', 'a');
    const onQuestion = () => ({ action: 'accept', content: { name: 'Ada' } });
    const { calls } = await desk.next({ onQuestion });
    expect(calls[0] && textOf(await calls[0].outcome())).toBe('a is Ada');
    expect(desk.runs('ask a')).toBe(1);
  });

  it('[FIRST-133] cancels what the killed one had sent', async () => {
    const desk = await openKept();
    await desk.killHost('hold', 'a');
    const { calls } = await desk.next();
    await calls[0]?.cancel('enough');
    expect(await calls[0]?.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted('told notifications/cancelled');
  });
});

describe('a keeper whose ledger is deleted while no host is there', () => {
  it('[FIRST-149] ends, and its server with it, although a call is open', async () => {
    const desk = await openKept();
    await desk.killHost('hold', 'a');
    const [keeper] = desk.keepers();
    const server = toProcessRef(Number(desk.notes()[0]?.replace('runs ', '')));
    expect([keeper && isAlive(keeper), isAlive(server)]).toEqual([true, true]);
    await rm(dirname(desk.ledger), { recursive: true });
    await until(() => !(keeper && isAlive(keeper)) && !isAlive(server), { what: 'their end', timeoutMs: 60_000 });
    expect(existsSync(dirname(desk.ledger))).toBe(false);
  });
});

describe('a keeper that is killed', () => {
  it.each([
    { tool: 'hold', kind: 'interrupted', runs: 1 },
    { tool: 'read', kind: 'result', runs: 2 },
  ])('[FIRST-134] with its host: $tool ends as $kind', async ({ tool, kind, runs }) => {
    const desk = await openKept();
    await desk.killHost(tool, 'a');
    await desk.killKeeper();
    await desk.open('a');
    const { calls } = await desk.next();
    expect(await calls[0]?.outcome()).toMatchObject({ kind });
    expect(desk.runs(`${tool} a`)).toBe(runs);
  });

  it('[FIRST-134] under a host that lives: what may not be repeated is interrupted, the rest comes back', async () => {
    const desk = await openKept();
    const { host } = await desk.next();
    const calls = [await host.call('made', 'hold', { gate: 'a' }), await host.call('made', 'read', { gate: 'a' })];
    for (const tool of ['hold', 'read']) await desk.untilNoted(`${tool} a`);
    await desk.killKeeper();
    await desk.open('a');
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['interrupted', 'result']);
  });
});
