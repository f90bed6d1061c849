import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../open-http.ts';
import { openPlain, type PlainClient, textOf } from '../plain-client.ts';

const JOINED = 'holdfast/joined';
const FRESH = { meta: { 'holdfast/fresh': true } };
const PROFILES = { plain: { giveUpMs: null } };

/** A server whose tools tell how often they ran, and end when they are let. */
async function open(tool = {}, options = {}) {
  const rig = await openHttp();
  const gate = { isOpen: true };
  let runs = 0;
  const url = await rig.serve({ profiles: PROFILES, unattendedMs: 600_000, ...options }, (server) => {
    server.tool('count', {
      output: z.object({ run: z.number() }),
      ...tool,
      async run(_, task) {
        runs += 1;
        const run = runs;
        await until(() => gate.isOpen || task.signal.aborted, { timeoutMs: 60_000 });
        return { run };
      },
    });
    server.tool('break', {
      async run(_, task) {
        await until(() => gate.isOpen || task.signal.aborted, { timeoutMs: 60_000 });
        throw Object.assign(new Error('broken'), { code: -32099 });
      },
    });
  });
  /** Makes a call that its client leaves; the work is under way, or has ended unseen. */
  const leave = async (client: PlainClient, name: string, ends: boolean) => {
    gate.isOpen = false;
    const leaving = new AbortController();
    const calling = client.call(name, {}, { signal: leaving.signal });
    const taskId = await rig.onlyTask();
    await untilStatus(rig.tasks, taskId, 'working');
    leaving.abort();
    await expect(calling).rejects.toThrow();
    await until(async () => (await rig.holds())[0]?.cancelAt !== undefined, { timeoutMs: 60_000 });
    if (!ends) return taskId;
    gate.isOpen = true;
    const { endedAt = 0 } = await untilStatus(rig.tasks, taskId, name === 'break' ? 'failed' : 'completed');
    // So that there is an age to speak of.
    await until(() => Date.now() > endedAt + 5);
    return taskId;
  };
  return { rig, url, gate, leave, runs: () => runs };
}

const isHeld = (rig: Awaited<ReturnType<typeof openHttp>>) =>
  until(async () => (await rig.holds())[0]?.by !== undefined, { timeoutMs: 60_000 });

describe('the result of an earlier call', () => {
  it('[HOSTS-300] that ended unseen says so in words and in _meta, and its values stay what they are', async () => {
    const { url, leave, runs } = await open();
    const client = await openPlain(url);
    const taskId = await leave(client, 'count', true);
    const { result } = await client.call('count');
    expect(result).toMatchObject({ structuredContent: { run: 1 }, content: [{ text: '{"run":1}' }, {}] });
    expect(result?.content).toHaveLength(2);
    expect(result?.content[1]?.text).toMatch(
      /^Note: this is the result of the same call made \d+ s ago\. It ended \d+ s ago and count was not run again\./,
    );
    const joined = { taskId, ageMs: expect.any(Number), callAgeMs: expect.any(Number) };
    expect(result?._meta).toMatchObject({ [JOINED]: joined });
    expect(runs()).toBe(1);
  });

  it('[HOSTS-301] tells the model how to get a new one, and the way it tells works', async () => {
    const { url, leave } = await open();
    const client = await openPlain(url);
    await leave(client, 'count', true);
    const { result } = await client.call('count');
    expect(result?.content[1]?.text).toMatch(/If you need a newer result, call count once more; within the next 30 s /);
    const { result: second } = await client.call('count');
    expect(second).toMatchObject({ structuredContent: { run: 2 } });
    expect(second?.content).toHaveLength(1);
  });

  it('[HOSTS-300] that was still running says so too', async () => {
    const { rig, url, gate, leave, runs } = await open();
    const client = await openPlain(url);
    await leave(client, 'count', false);
    const calling = client.call('count');
    await isHeld(rig);
    gate.isOpen = true;
    const { result } = await calling;
    expect(result?.content[1]?.text).toMatch(/made \d+ s ago, which was still running\. It was not run twice\.$/);
    expect(runs()).toBe(1);
  });

  it('[HOSTS-300] says so when it is an error', async () => {
    const { url, leave } = await open();
    const client = await openPlain(url);
    await leave(client, 'break', true);
    const { error } = await client.call('break');
    expect(error).toMatchObject({ code: -32099, message: expect.stringMatching(/^broken\nNote: this is the result/) });
  });

  it('[HOSTS-302] is given without words to a call that names it by its key', async () => {
    const { url } = await open();
    const meta = { 'holdfast/idempotencyKey': 'once' };
    const client = await openPlain(url);
    await client.call('count', {}, { meta });
    const { result } = await client.call('count', {}, { meta });
    expect(result?.content).toHaveLength(1);
    expect(result?._meta).toHaveProperty([JOINED]);
  });
});

describe('a result that is too old', () => {
  it('[HOSTS-303] by the word of its tool is not given: the tool runs, and the old one is found by its id', async () => {
    const { url, leave } = await open({ joinMs: 1 });
    const client = await openPlain(url);
    const task_id = await leave(client, 'count', true);
    const { result } = await client.call('count');
    expect(result).toMatchObject({ structuredContent: { run: 2 } });
    expect(result?.content).toHaveLength(1);
    expect((await client.call('task_wait', { task_id })).result).toMatchObject({ structuredContent: { run: 1 } });
  });

  it('[HOSTS-303] is joined all the same while it runs', async () => {
    const { rig, url, gate, leave, runs } = await open({ joinMs: 0 });
    const client = await openPlain(url);
    await leave(client, 'count', false);
    const calling = client.call('count');
    await isHeld(rig);
    gate.isOpen = true;
    expect((await calling).result).toMatchObject({ structuredContent: { run: 1 } });
    expect(runs()).toBe(1);
  });
});

describe('a call that asks for a fresh run', () => {
  it('[HOSTS-304] gets one, although an earlier one ended unseen, and nobody gets the old result after it', async () => {
    const { url, leave, runs } = await open();
    const client = await openPlain(url);
    await leave(client, 'count', true);
    expect((await client.call('count', {}, FRESH)).result).toMatchObject({ structuredContent: { run: 2 } });
    expect((await client.call('count')).result).toMatchObject({ structuredContent: { run: 3 } });
    expect(runs()).toBe(3);
  });

  it('[HOSTS-304] gets one beside an earlier one that still runs, which goes on', async () => {
    const { rig, url, gate, leave, runs } = await open();
    const client = await openPlain(url);
    const taskId = await leave(client, 'count', false);
    const calling = client.call('count', {}, FRESH);
    await until(() => runs() === 2, { timeoutMs: 60_000 });
    gate.isOpen = true;
    const { result } = await calling;
    expect(result).toMatchObject({ structuredContent: { run: 2 } });
    expect(result?._meta ?? {}).not.toHaveProperty([JOINED]);
    await untilStatus(rig.tasks, taskId, 'completed');
  });

  it('[HOSTS-305] is refused when it does not say yes or no', async () => {
    const { url } = await open();
    const { error } = await (await openPlain(url)).call('count', {}, { meta: { 'holdfast/fresh': 'yes' } });
    expect(error).toMatchObject({ code: -32602, message: '_meta["holdfast/fresh"] is "yes"; expected true or false' });
  });

  it('[HOSTS-304] says nothing where it says no', async () => {
    const { url, leave, runs } = await open();
    const client = await openPlain(url);
    await leave(client, 'count', true);
    const heard = await client.call('count', {}, { meta: { 'holdfast/fresh': false } });
    expect([textOf(heard), runs()]).toEqual(['{"run":1}', 1]);
  });
});
