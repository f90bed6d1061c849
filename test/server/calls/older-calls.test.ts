/** Tasks that were written by a build which named the input of a call `args`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, createServer, openSqliteStore, type Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openSession, post, readFrames } from '../open-http.ts';

const IDENTITY = 'older-calls';
const KEY = { 'holdfast/idempotencyKey': 'k-1' };

/** Writes the task of a call as it was written before, and does not run it. */
async function writeOlder(store: Store, args: object): Promise<string> {
  const tools = { echo: { run: () => 'never here' } };
  const engine = await createEngine({ name: 'older', store, tools, identity: IDENTITY, workers: 'inline' });
  const labels = { dialect: 'held' };
  const { task } = await engine.submit('echo', { args, upfront: {} }, { idempotencyKey: 'k-1', labels });
  await engine.close();
  return task.taskId;
}

async function openServer(args: object) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-older-'));
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  const taskId = await writeOlder(store, args);
  const server = createServer({ name: 'test', version: '1', store, identity: IDENTITY, workers: 'inline' });
  const secrets: string[] = [];
  server.tool('echo', {
    input: z.object({ text: z.string(), pin: z.string() }),
    redact: ['/pin'],
    estimateMs: ({ text }) => text.length * 1000,
    run({ text, pin }) {
      secrets.push(pin);
      return `echo ${text}`;
    },
  });
  const listening = await server.listen({ port: 0, unprotected: true });
  onTestFinished(async () => {
    await listening.close();
    await server.close();
    await store.close();
    await rm(dir, { recursive: true });
  });
  const headers = await openSession(listening.url);
  const call = async (name: string, given: object, meta: object = {}) => {
    const params = { name, arguments: given, _meta: meta };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return readFrames(await post(listening.url, { body, headers })).message();
  };
  const untilEnded = () => until(async () => (await store.tasks.get({ taskId }))?.status === 'completed');
  return { call, secrets, taskId, untilEnded };
}

it('[ROOMS-105] are run with their input, listed with it, and joined by their key', async () => {
  const given = { text: 'hello', pin: '1234' };
  const { call, secrets, taskId, untilEnded } = await openServer(given);
  await untilEnded();
  expect(secrets).toEqual(['1234']);
  const again = await call('echo', given, KEY);
  expect(again.result).toMatchObject({ content: [{ text: 'echo hello' }] });
  expect(secrets).toHaveLength(1);
  const { result } = await call('task_list', {});
  expect(JSON.stringify(result)).toContain(taskId);
  expect(JSON.stringify(result)).toContain('hello');
});

it('[ROOMS-105] keep a key from a call with other arguments, as before', async () => {
  const { call, untilEnded } = await openServer({ text: 'hello', pin: '1234' });
  await untilEnded();
  const { error } = await call('echo', { text: 'other', pin: '1234' }, KEY);
  expect(error).toMatchObject({ code: -32602, data: { code: 'IDEMPOTENCY_CONFLICT' } });
});
