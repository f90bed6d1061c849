import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { watchDriver } from '../../sqlite/watch-driver.ts';
import { openHttp } from '../open-http.ts';
import { openPlain, taskOf, textOf } from '../plain-client.ts';

const connections = watchDriver();
const PROFILES = { plain: { giveUpMs: null }, hasty: { giveUpMs: 100 } };

/** A server whose store can be made to take nothing, as on a disk that is full, and a client of it. */
async function open(client: { readonly name?: string } = {}) {
  const rig = await openHttp();
  const url = await rig.serve({ profiles: PROFILES });
  const connection = connections.at(-1);
  if (!connection) throw new Error('the store has opened no connection');
  const refuse = () => void connection.prepare('PRAGMA query_only = 1').get();
  const take = () => void connection.prepare('PRAGMA query_only = 0').get();
  const errors: unknown[] = [];
  /** Resolves when the store has refused something. */
  const untilRefused = () => until(() => errors.push(...rig.takeErrors()) > 0, { what: 'the store to refuse' });
  const list = async () => (await rig.tasks.list()).tasks;
  /** Whoever fails was refused by the store; the work may end. */
  const close = () => {
    rig.takeErrors();
    rig.open();
  };
  return { rig, refuse, take, untilRefused, list, close, client: await openPlain(url, client) };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Begins a call that its client leaves while the store takes nothing. */
async function leaveRefused({ rig, client, refuse, untilRefused }: Opened): Promise<string> {
  const leaving = new AbortController();
  const calling = client.call('wait', {}, { signal: leaving.signal });
  const taskId = await rig.onlyTask();
  await until(async () => (await rig.tasks.get(taskId)).progress, { what: 'the work to begin' });
  refuse();
  leaving.abort();
  await expect(calling).rejects.toThrow();
  await untilRefused();
  return taskId;
}

describe('a store that takes nothing when a wait ends', () => {
  it('[BAD-416] learns later that the call was left', async () => {
    const opened = await open();
    await leaveRefused(opened);
    expect(await opened.rig.holds()).toMatchObject([{ by: expect.any(String) }]);
    opened.take();
    await until(async () => (await opened.rig.holds())[0]?.cancelAt, { what: 'the call to be left' });
    opened.close();
  });

  it('[BAD-417] costs no second task: the same call joins at once', async () => {
    const opened = await open();
    const taskId = await leaveRefused(opened);
    const { client, rig, list } = opened;
    expect((await client.call('wait')).error).toBeDefined();
    opened.take();
    const calling = client.call('wait');
    rig.open();
    expect(textOf(await calling)).toBe('waited');
    expect(await list()).toMatchObject([{ taskId, attempt: 1 }]);
    opened.close();
  });

  it('[BAD-416] learns later that the call was handed over, and the client is told in time', async () => {
    const opened = await open({ name: 'hasty' });
    const { client, rig, list } = opened;
    const calling = client.call('wait');
    const taskId = await rig.onlyTask();
    opened.refuse();
    expect(taskOf(await calling)).toMatchObject({ taskId });
    await opened.untilRefused();
    opened.take();
    await until(async () => (await rig.holds()).length === 0, { what: 'nobody to wait' });
    rig.open();
    await untilStatus(rig.tasks, taskId, 'completed');
    expect(textOf(await client.call('wait'))).toBe('waited');
    expect(await list()).toHaveLength(1);
    opened.close();
  });

  it('[BAD-416] learns later that the answer may have been lost', async () => {
    const opened = await open();
    const { client, list } = opened;
    expect(textOf(await client.call('add', { a: 1, b: 2 }))).toBe('3');
    opened.refuse();
    await client.cancel('Request timed out');
    await opened.untilRefused();
    opened.take();
    expect((await client.call('add', { a: 1, b: 2 })).result?._meta).toHaveProperty(['holdfast/joined']);
    expect(await list()).toHaveLength(1);
    opened.close();
  });

  it('[BAD-416] learns later that the call was cancelled', async () => {
    const opened = await open();
    const { client, rig } = opened;
    const calling = client.call('wait');
    const taskId = await rig.onlyTask();
    opened.refuse();
    await client.cancel('changed my mind');
    await opened.untilRefused();
    opened.take();
    expect(await untilStatus(rig.tasks, taskId, 'cancelled')).toMatchObject({ outcome: { reason: 'changed my mind' } });
    await until(async () => (await rig.holds()).length === 0, { what: 'nothing to be held' });
    expect((await calling).result).toBeUndefined();
    opened.close();
  });
});
