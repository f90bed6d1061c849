import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../open-http.ts';
import { callToEnd, openPlain, type PlainClient, taskOf, textOf } from '../plain-client.ts';

const PROFILES = { plain: { giveUpMs: 200 }, patient: { giveUpMs: null } };
const KEY_META = 'holdfast/idempotencyKey';

async function open(options = {}) {
  const rig = await openHttp();
  const gate = { isOpen: false };
  const url = await rig.serve({ profiles: PROFILES, ...options }, (server) => {
    server.tool('apart', {
      join: false,
      input: z.object({}),
      async run(_, task) {
        await until(() => gate.isOpen || task.signal.aborted);
        return 'apart';
      },
    });
  });
  const list = async () => (await rig.tasks.list()).tasks;
  return { rig, url, list, gate };
}

/** Calls and leaves when the work has begun. */
async function leave(client: PlainClient, list: () => Promise<readonly { status: string }[]>, args = {}) {
  const leaving = new AbortController();
  const before = (await list()).length;
  const calling = client.call('wait', args, { signal: leaving.signal });
  await until(async () => (await list()).length > before && (await list())[0]?.status === 'working');
  leaving.abort();
  await expect(calling).rejects.toThrow();
}

/** Waits until it has been noticed that nobody waits for a task. */
async function untilLeft(rig: Awaited<ReturnType<typeof openHttp>>, taskId: string) {
  await until(async () => (await rig.holds()).every((hold) => hold.taskId !== taskId || hold.by === undefined));
}

describe('the same call again', () => {
  it('[HOLD-11] joins one that was handed over', async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url);
    const first = taskOf(await client.call('wait', { gate: 'a' }));
    const second = taskOf(await client.call('wait', { gate: 'a' }));
    expect(second?.taskId).toBe(first?.taskId);
    rig.open('a');
    expect(textOf(await callToEnd(client, 'wait', { gate: 'a' }))).toBe('waited');
    expect(await list()).toMatchObject([{ attempt: 1 }]);
  });

  it('[HOLD-11] joins one that was left, by a client that comes back in a new session', async () => {
    const { rig, url, list } = await open();
    await leave(await openPlain(url, { name: 'patient' }), list);
    await untilLeft(rig, await rig.onlyTask());
    const calling = (await openPlain(url, { name: 'patient' })).call('wait');
    await until(async () => (await rig.holds())[0]?.by !== undefined, { what: 'the call to be joined' });
    rig.open();
    expect(textOf(await calling)).toBe('waited');
    expect(await list()).toMatchObject([{ attempt: 1 }]);
  });

  it('[HOLD-11] joins one that has ended meanwhile, for its result', async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url);
    await client.call('wait');
    rig.open();
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
    expect(textOf(await client.call('wait'))).toBe('waited');
    expect(await list()).toHaveLength(1);
  });

  it('[HOLD-12] begins anew once the result was delivered', async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url, { name: 'patient' });
    rig.open();
    for (const count of [1, 2, 3]) {
      expect(textOf(await client.call('wait'))).toBe('waited');
      expect(await list()).toHaveLength(count);
    }
  });

  it('[HOLD-12] begins anew once the result was delivered by task_wait', async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url);
    const task_id = taskOf(await client.call('wait'))?.taskId;
    rig.open();
    expect(textOf(await callToEnd(client, 'task_wait', { task_id }))).toBe('waited');
    expect(textOf(await callToEnd(client, 'wait'))).toBe('waited');
    expect(await list()).toHaveLength(2);
  });

  it('[HOLD-12] begins anew while the first is waited for', async () => {
    const { rig, url, list } = await open();
    const clients = [await openPlain(url, { name: 'patient' }), await openPlain(url, { name: 'patient' })];
    const calls = clients.map((client) => client.call('wait'));
    await until(async () => (await list()).length === 2, { what: 'two tasks' });
    rig.open();
    for (const heard of await Promise.all(calls)) expect(textOf(heard)).toBe('waited');
  });

  it("[HOLD-12] does not join another client's, nor one with other arguments", async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url);
    const first = taskOf(await client.call('wait'))?.taskId;
    const other = await openPlain(url, { name: 'cline' });
    rig.open();
    rig.open('b');
    expect(textOf(await callToEnd(other, 'wait'))).toBe('waited');
    expect(textOf(await callToEnd(client, 'wait', { gate: 'b' }))).toBe('waited');
    expect(await list()).toHaveLength(3);
    expect((await list()).at(-1)?.taskId).toBe(first);
  });

  it("[HOLD-12] does not join another principal's", async () => {
    const verify = ({ headers }: Request) => ({ issuer: 'test', subject: headers.get('authorization') ?? 'nobody' });
    const { rig, url } = await open({ verify });
    const first = taskOf(await (await openPlain(url, { headers: { authorization: 'ada' } })).call('wait'));
    const second = taskOf(await (await openPlain(url, { headers: { authorization: 'bob' } })).call('wait'));
    expect(second?.taskId).not.toBe(first?.taskId);
    rig.open();
  });

  it("[HOLD-12] does not join another program's on the same store", async () => {
    const { rig, url } = await open();
    const first = taskOf(await (await openPlain(url)).call('wait'));
    const elsewhere = await rig.serve({ profiles: PROFILES, identity: 'elsewhere' });
    const second = taskOf(await (await openPlain(elsewhere)).call('wait'));
    expect(second?.taskId).not.toBe(first?.taskId);
    rig.open();
  });

  it('[HOLD-12] does not join one that was cancelled', async () => {
    const { rig, url, list } = await open();
    const client = await openPlain(url);
    await client.call('task_cancel', { task_id: taskOf(await client.call('wait'))?.taskId });
    rig.open();
    expect(textOf(await callToEnd(client, 'wait'))).toBe('waited');
    expect(await list()).toHaveLength(2);
  });

  it('[HOLD-13] never joins when its tool says so', async () => {
    const { url, list, gate } = await open();
    const client = await openPlain(url);
    await client.call('apart');
    await client.call('apart');
    expect(await list()).toHaveLength(2);
    gate.isOpen = true;
  });
});

describe('an idempotency key', () => {
  const meta = { [KEY_META]: 'once' };

  it('[HOLD-13] joins whatever else: one that is waited for, one of another client, one that was delivered', async () => {
    const { rig, url, list } = await open();
    const clients = [await openPlain(url, { name: 'patient' }), await openPlain(url, { name: 'cline' })];
    const calls = clients.map((client) => client.call('wait', {}, { meta }));
    await until(async () => (await list())[0]?.status === 'working');
    rig.open();
    for (const heard of await Promise.all(calls)) expect(textOf(heard)).toBe('waited');
    expect(textOf(await (await openPlain(url)).call('wait', {}, { meta }))).toBe('waited');
    expect(await list()).toMatchObject([{ attempt: 1 }]);
  });

  it('[HOLD-13] keeps the work for whoever still waits when the other has left', async () => {
    const { rig, url, list } = await open({ unattendedMs: 60 });
    const leaving = new AbortController();
    const first = (await openPlain(url, { name: 'patient' })).call('wait', {}, { meta, signal: leaving.signal });
    const taskId = await rig.onlyTask();
    const [{ by } = {}] = await rig.holds();
    const seen: unknown[] = [];
    const second = (await openPlain(url, { name: 'patient' })).call(
      'wait',
      {},
      {
        meta: { ...meta, progressToken: 1 },
        onMessage: (message) => void seen.push(message),
      },
    );
    await until(() => seen.length > 0, { what: 'the second to wait' });
    leaving.abort();
    await expect(first).rejects.toThrow();
    const isTaken = async () => (await rig.holds()).some((hold) => hold.by !== undefined && hold.by !== by);
    await until(isTaken, { what: 'the second to take the place of the first' });
    rig.open();
    expect(textOf(await second)).toBe('waited');
    expect(await list()).toMatchObject([{ taskId, status: 'completed' }]);
  });

  it.each([7, '', null, ['a']])('that is %j is refused, and nothing is begun', async (key) => {
    const { url, list } = await open();
    const { error } = await (await openPlain(url)).call('wait', {}, { meta: { [KEY_META]: key } });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(KEY_META) });
    expect(await list()).toEqual([]);
  });

  it('is refused with other arguments', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url);
    await client.call('wait', {}, { meta });
    const { error } = await client.call('wait', { gate: 'other' }, { meta });
    expect(error?.message).toContain('belongs to a task with another tool or other arguments');
    rig.open();
  });
});
