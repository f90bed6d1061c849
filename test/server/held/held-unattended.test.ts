import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../open-http.ts';
import { openPlain, taskOf, textOf } from '../plain-client.ts';

const PROFILES = { plain: { giveUpMs: 200 }, patient: { giveUpMs: null } };
const GIVEN_UP = { outcome: { kind: 'cancelled', reason: 'its client went away and did not come back' } };

async function open(options = {}) {
  const rig = await openHttp();
  const url = await rig.serve({ profiles: PROFILES, ...options });
  const client = await openPlain(url, { name: 'patient' });
  /** Begins a call that its client then leaves. */
  const leave = async () => {
    const leaving = new AbortController();
    const calling = client.call('wait', {}, { signal: leaving.signal });
    const taskId = await rig.onlyTask();
    await untilStatus(rig.tasks, taskId, 'working');
    leaving.abort();
    await expect(calling).rejects.toThrow();
    return taskId;
  };
  return { rig, url, client, leave };
}

describe('a held call that is left', () => {
  it('[HOLD-14] is cancelled after the grace time, by whichever server is there', async () => {
    const { rig, url, leave } = await open({ unattendedMs: 500, shutdownGraceMs: 60_000 });
    const taskId = await leave();
    await until(async () => (await rig.holds())[0]?.cancelAt !== undefined, { what: 'the call to be left' });
    const other = await rig.serve();
    await rig.stop(url);
    expect(await untilStatus(rig.tasks, taskId, 'cancelled')).toMatchObject(GIVEN_UP);
    await until(async () => (await rig.holds()).length === 0, { what: 'nobody to be waited for' });
    expect(other).not.toBe(url);
  });

  it('[HOLD-14] goes on when somebody comes back for it', async () => {
    const { rig, client, leave } = await open({ unattendedMs: 60_000 });
    const task_id = await leave();
    await until(async () => (await rig.holds())[0]?.cancelAt !== undefined, { what: 'the call to be left' });
    const waiting = client.call('task_wait', { task_id });
    await until(async () => (await rig.holds())[0]?.by !== undefined, { what: 'the call to be waited for' });
    expect((await rig.holds())[0]).not.toHaveProperty('cancelAt');
    rig.open();
    expect(textOf(await waiting)).toBe('waited');
  });

  it('[HOLD-14] is left too when its client gives up with a word about time', async () => {
    const { rig, client } = await open({ unattendedMs: 60_000 });
    const calling = client.call('wait');
    const taskId = await rig.onlyTask();
    await client.cancel('McpError: MCP error -32001: Request timed out');
    await until(async () => (await rig.holds())[0]?.cancelAt !== undefined, { what: 'the call to be left' });
    expect((await calling).result).toBeUndefined();
    rig.open();
    await untilStatus(rig.tasks, taskId, 'completed');
  });
});

describe('a cancel', () => {
  it('[HOLD-15] of a held call cancels the work at once, and it is not held any more', async () => {
    const { rig, client } = await open({ unattendedMs: 60_000 });
    const calling = client.call('wait');
    const taskId = await rig.onlyTask();
    await client.cancel('changed my mind');
    expect(await untilStatus(rig.tasks, taskId, 'cancelled')).toMatchObject({ outcome: { reason: 'changed my mind' } });
    expect((await calling).result).toBeUndefined();
    await until(async () => (await rig.holds()).length === 0, { what: 'nothing to be held' });
  });

  it('[HOLD-15] of task_wait ends the wait and nothing else', async () => {
    const { rig, url, client } = await open({ unattendedMs: 1 });
    const task_id = taskOf(await (await openPlain(url)).call('wait'))?.taskId ?? '';
    for (const reason of ['enough', 'Request timed out']) {
      const waiting = client.call('task_wait', { task_id });
      await until(async () => (await rig.holds()).length === 1, { what: 'the wait' });
      await client.cancel(reason);
      expect((await waiting).result).toBeUndefined();
      await until(async () => (await rig.holds()).length === 0, { what: 'the wait to end' });
    }
    rig.open();
    expect(textOf(await client.call('task_wait', { task_id }))).toBe('waited');
  });
});

describe('a call that was handed over', () => {
  it('[HOLD-15] is never cancelled because somebody who waits for it goes away', async () => {
    const { rig, url } = await open({ unattendedMs: 1 });
    const client = await openPlain(url);
    const task_id = taskOf(await client.call('wait'))?.taskId ?? '';
    const patient = await openPlain(url, { name: 'patient' });
    for (const tool of ['task_wait', 'wait'] as const) {
      const leaving = new AbortController();
      const caller = tool === 'wait' ? client : patient;
      const args = tool === 'wait' ? {} : { task_id };
      const calling = caller.call(tool, args, { signal: leaving.signal });
      await until(async () => (await rig.holds()).length === 1, { what: 'the wait' });
      leaving.abort();
      await expect(calling).rejects.toThrow();
      await until(async () => (await rig.holds()).length === 0, { what: 'the wait to end' });
    }
    // Any server that gave up calls would have done so when it started.
    await rig.serve();
    rig.open();
    await untilStatus(rig.tasks, task_id, 'completed');
  });
});
