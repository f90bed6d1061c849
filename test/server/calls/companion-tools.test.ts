import { createServer } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../open-http.ts';
import { listModern, openPlain, taskOf, textOf } from '../plain-client.ts';

const COMPANIONS = ['task_wait', 'task_answer', 'task_cancel', 'task_list'];
const SHOWN = COMPANIONS.map((name) => `test_${name}`);
const OWN = ['greet', 'add', 'wait', 'confirm'];
const PROFILES = { plain: { giveUpMs: 200 } };

/** A server on which one call has been handed over. */
async function open(options = {}) {
  const rig = await openHttp();
  const url = await rig.serve({ profiles: PROFILES, ...options });
  const client = await openPlain(url);
  const begin = async () => taskOf(await client.call('wait'))?.taskId ?? '';
  return { rig, url, client, begin };
}

describe('the tools to wait with', () => {
  it('[HOLD-08] are listed for clients that know nothing of tasks, in both eras', async () => {
    const { url, client } = await open();
    expect(await client.toolNames()).toEqual([...OWN, ...SHOWN]);
    expect(await listModern(url, false)).toEqual([...OWN, ...SHOWN]);
  });

  it('[HOLD-08] are not listed for those that declare tasks, nor for those known to ask for them', async () => {
    const { url } = await open();
    expect(await listModern(url, true)).toEqual(OWN);
    const editor = await openPlain(url, { name: 'Visual Studio Code', capabilities: { roots: {}, sampling: {} } });
    expect(await editor.toolNames()).toEqual(OWN);
  });

  it('[HOLD-08] are neither listed nor there on a server that never makes a task', async () => {
    const server = createServer({ name: 'direct', version: '1.0.0' }).tool('hello', { task: 'never', run: () => 'hi' });
    const { url, close } = await server.listen({ port: 0, unprotected: true });
    const client = await openPlain(url);
    expect(await client.toolNames()).toEqual(['hello']);
    expect((await client.call('task_list')).error).toMatchObject({ code: -32602, message: 'Unknown tool: task_list' });
    await close();
    await server.close();
  });

  it.each([...COMPANIONS, ...SHOWN])('[HOLD-08] keep their name: %s cannot be registered', (name) => {
    const server = createServer({ name: 'test', version: '1.0.0' });
    expect(() => server.tool(name, { run: () => '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(name) }),
    );
  });
});

describe('task_wait', () => {
  it.each([0, 0.01, 100_000_000])(
    '[HOLD-09] waits %d seconds at most, and within the patience of its client',
    async (seconds) => {
      const { rig, client, begin } = await open();
      const task_id = await begin();
      const waited = await client.call('task_wait', { task_id, wait_seconds: seconds });
      expect(taskOf(waited)).toMatchObject({ taskId: task_id, status: 'working' });
      rig.open();
      expect(textOf(await client.call('task_wait', { task_id }))).toBe('waited');
    },
  );

  it('[HOLD-09] does not wait for longer than it was told', async () => {
    const { rig, url, begin } = await open({ profiles: { ...PROFILES, patient: { giveUpMs: null } } });
    const task_id = await begin();
    const patient = await openPlain(url, { name: 'patient' });
    expect(taskOf(await patient.call('task_wait', { task_id, wait_seconds: 0.05 }))).toMatchObject({ taskId: task_id });
    rig.open();
  });

  it.each([
    { wait_seconds: -1 },
    { wait_seconds: '5' },
    { wait_seconds: null },
    { task_id: 7 },
    { task_id: '' },
    { more: 1 },
  ])('[HOLD-09] says what is wrong with %j', async (wrong) => {
    const { rig, client, begin } = await open();
    const { result, error } = await client.call('task_wait', { task_id: await begin(), ...wrong });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ isError: true });
    expect(textOf({ ...(result && { result }), others: [], isAnswerLast: true })).toContain(Object.keys(wrong)[0]);
    rig.open();
  });

  it('[HOLD-09] gives the result of a task that has ended, as often as it is asked', async () => {
    const { rig, client, begin } = await open();
    const task_id = await begin();
    rig.open();
    await untilStatus(rig.tasks, task_id, 'completed');
    for (const wait_seconds of [0, 5]) {
      expect(textOf(await client.call('task_wait', { task_id, wait_seconds }))).toBe('waited');
    }
  });

  it('[HOLD-09] says that a task was cancelled, before it waited or while it does', async () => {
    const { rig, url, client, begin } = await open({
      profiles: { plain: { giveUpMs: 200 }, patient: { giveUpMs: null } },
    });
    const task_id = await begin();
    const patient = await openPlain(url, { name: 'patient' });
    const waiting = patient.call('task_wait', { task_id });
    await client.call('task_wait', { task_id, wait_seconds: 0 });
    await rig.tasks.cancel(task_id, { reason: 'enough' });
    for (const heard of [await waiting, await client.call('task_wait', { task_id })]) {
      expect(heard.result).toMatchObject({ isError: true });
      expect(textOf(heard)).toBe('Cancelled: enough');
    }
  });

  it("[HOLD-09] knows no task that is not there, and another principal's is not there", async () => {
    const rig = await openHttp();
    const verify = ({ headers }: Request) => ({ issuer: 'test', subject: headers.get('authorization') ?? 'nobody' });
    const url = await rig.serve({ profiles: PROFILES, verify });
    const ada = await openPlain(url, { headers: { authorization: 'ada' } });
    const bob = await openPlain(url, { headers: { authorization: 'bob' } });
    const task_id = taskOf(await ada.call('wait'))?.taskId ?? '';
    for (const tool of ['task_wait', 'task_cancel', 'task_answer']) {
      const foreign = await bob.call(tool, { task_id });
      const unknown = await bob.call(tool, { task_id: 'nothing' });
      expect(foreign.result).toMatchObject({ isError: true });
      expect(textOf(foreign).replace(task_id, 'nothing')).toBe(textOf(unknown));
      expect(textOf(unknown)).toBe('there is no task "nothing"');
    }
    expect(textOf(await bob.call('task_list'))).toBe('There are no tool calls.');
    expect(textOf(await ada.call('task_list'))).toContain(task_id);
    rig.open();
  });
});

describe('task_cancel', () => {
  it('[HOLD-10] stops the work; the second time it says that it has ended', async () => {
    const { rig, client, begin } = await open();
    const task_id = await begin();
    expect(textOf(await client.call('task_cancel', { task_id }))).toBe('wait has been stopped.');
    await untilStatus(rig.tasks, task_id, 'cancelled');
    const again = await client.call('task_cancel', { task_id });
    expect(again.result).not.toHaveProperty('isError');
    expect(textOf(again)).toContain('wait ended as cancelled');
  });

  it('[HOLD-10] leaves the result of what has ended alone', async () => {
    const { rig, client, begin } = await open();
    const task_id = await begin();
    rig.open();
    await untilStatus(rig.tasks, task_id, 'completed');
    expect(textOf(await client.call('task_cancel', { task_id }))).toContain('wait ended as completed');
    expect(textOf(await client.call('task_wait', { task_id }))).toBe('waited');
  });
});

describe('task_list', () => {
  it('[HOLD-10] tells what runs, what waits for an answer and what has ended, newest first', async () => {
    const { rig, client, begin } = await open();
    expect(textOf(await client.call('task_list'))).toBe('There are no tool calls.');
    const first = await begin();
    await until(async () => (await rig.tasks.get(first)).progress, { what: 'progress' });
    await client.call('confirm');
    await client.call('add', { a: 1, b: 2 });
    const lines = textOf(await client.call('task_list')).split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^\S+: add ended as completed\. /),
      expect.stringMatching(/^\S+: confirm waits for the user's answer\. /),
      expect.stringMatching(new RegExp(`^${first}: wait is still running, 50 % done \\(waiting\\)`)),
    ]);
    expect(textOf(await client.call('task_list', { limit: 1 })).split('\n')).toHaveLength(1);
    expect((await client.call('task_list', { limit: 0 })).result).toMatchObject({ isError: true });
    await client.call('task_answer', { task_id: lines[1]?.split(':')[0], action: 'decline' });
    rig.open();
  });
});
