/** The app's half of the contract of prompts: an acknowledgement at once, the outcome as a prompt in the log. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../../programs/program-path.js';

const PROGRAM = programPath('prompts-server.js');

interface Prompt {
  readonly requestId: string;
  readonly prompt: { readonly kind: string; readonly markdown: string; readonly resultStatus?: string };
}

async function openApp() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-prompts-'));
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  const clients: Client[] = [];
  const close = async () => {
    await Promise.all(clients.map((client) => client.close()));
    const isIdle = async () => (await store.workers.list()).length === 0;
    await until(isIdle, { what: 'the worker to end', timeoutMs: 60_000 });
    await store.close();
    await rm(dir, { recursive: true });
  };
  const start = async () => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM, dir], stderr: 'inherit' });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    clients.push(client);
    return { client, pid: transport.pid ?? 0 };
  };
  const lines = async (file: string) => {
    const text = await readFile(join(dir, file), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  };
  const prompts = async () => (await lines('state/ui-prompts.jsonl')).map((line) => JSON.parse(line) as Prompt);
  const untilPrompt = async (taskId: string) => {
    await until(async () => (await prompts()).some(({ requestId }) => requestId === taskId), {
      what: `the prompt of ${taskId}`,
      timeoutMs: 60_000,
    });
    return (await prompts()).filter(({ requestId }) => requestId === taskId);
  };
  const call = (client: Client, args: object, meta: object) =>
    client.callTool({ name: 'app_run', arguments: { ...args }, _meta: { ...meta } });
  const toMeta = (taskId: string) => ({ taskId, chatos: { uiApp: { stateDir: join(dir, 'state') } } });
  return {
    close,
    start,
    lines,
    prompts,
    untilPrompt,
    call,
    toMeta,
    open: (gate: string) => writeFile(join(dir, `open-${gate}`), ''),
  };
}

describe('a tool under the contract of prompts, with a worker of its own', () => {
  let app: Awaited<ReturnType<typeof openApp>>;
  let client: Client;

  beforeAll(async () => {
    app = await openApp();
    client = (await app.start()).client;
  });

  afterAll(() => app.close());

  it('[UIP-30] is acknowledged at once, and its result is written as a prompt once', async () => {
    const ack = await app.call(client, { gate: 'a' }, app.toMeta('t-1'));
    expect(ack.structuredContent).toEqual({ status: 'accepted', taskId: 't-1' });
    expect((await app.prompts()).filter(({ requestId }) => requestId === 't-1')).toEqual([]);
    await app.open('a');
    expect(await app.untilPrompt('t-1')).toMatchObject([{ prompt: { kind: 'result', markdown: 'a is open' } }]);
  });

  it('[UIP-32] runs once however often its id comes', async () => {
    await app.call(client, { gate: 'b' }, app.toMeta('t-2'));
    await app.call(client, { gate: 'b' }, app.toMeta('t-2'));
    await expect(app.call(client, { gate: 'other' }, app.toMeta('t-2'))).rejects.toMatchObject({ code: -32602 });
    await app.open('b');
    expect(await app.untilPrompt('t-2')).toHaveLength(1);
    expect((await app.lines('runs.txt')).filter((line) => line === 'ran b')).toHaveLength(1);
  });

  it('[UIP-33] writes a prompt for every other end too', async () => {
    await app.open('c');
    await app.call(client, { gate: 'c', how: 'badly' }, app.toMeta('t-3'));
    await app.call(client, { gate: 'c', how: 'thrown' }, app.toMeta('t-4'));
    expect(await app.untilPrompt('t-3')).toMatchObject([{ prompt: { markdown: 'it jammed', resultStatus: 'failed' } }]);
    expect(await app.untilPrompt('t-4')).toMatchObject([
      { prompt: { markdown: 'out of paper', resultStatus: 'failed' } },
    ]);
  });

  it('[UIP-34] writes the prompt although the server was killed, and only once', async () => {
    const first = await app.start();
    await app.call(first.client, { gate: 'd' }, app.toMeta('t-5'));
    await until(async () => (await app.lines('runs.txt')).includes('ran d'), { what: 'the run', timeoutMs: 60_000 });
    process.kill(first.pid, 'SIGKILL');
    await app.open('d');
    expect(await app.untilPrompt('t-5')).toMatchObject([{ prompt: { markdown: 'd is open' } }]);
    expect((await app.lines('runs.txt')).filter((line) => line === 'ran d')).toHaveLength(1);
  });

  it('[UIP-35] [SEC-102] leaves other tools as they are, and refuses a call that would wait for them in the log', async () => {
    const args = { gate: 'e' };
    const plain = { content: [{ text: 'plain answer' }] };
    expect(await client.callTool({ name: 'plain', arguments: args })).toMatchObject(plain);
    const others = { ...app.toMeta('t-6'), asyncTask: { tools: ['app_run'] } };
    expect(await client.callTool({ name: 'plain', arguments: args, _meta: others })).toMatchObject(plain);
    const meta = { ...app.toMeta('t-6'), asyncTask: { tools: ['Plain'] } };
    const refused = client.callTool({ name: 'plain', arguments: args, _meta: meta });
    await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('asyncTask') });
  });

  it('[SEC-102] serves a tool for which its owner lets calls ask', async () => {
    const asked = { ...app.toMeta('t-7'), asyncTask: { tools: ['asked'] } };
    await client.callTool({ name: 'asked', arguments: {}, _meta: asked });
    expect(await app.untilPrompt('t-7')).toMatchObject([{ prompt: { markdown: 'asked answer' } }]);
    const answered = await client.callTool({ name: 'asked', arguments: {}, _meta: app.toMeta('t-8') });
    expect(answered).toMatchObject({ content: [{ text: 'asked answer' }] });
  });
});
