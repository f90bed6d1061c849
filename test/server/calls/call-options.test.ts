/** What a tool makes of a request before its task is written, and calls that may or may not be under the contract of prompts. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServer,
  type HoldfastServer,
  openSqliteStore,
  type ServerOptions,
  type ServerTool,
  TaskError,
} from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { toJoinKeys } from '../../../src/dialects/inline/join-key.ts';
import type { CheckedCall } from '../../../src/dialects/server-port.ts';
import { toOwnLogDirectory } from '../../../src/dialects/ui-prompts/log/own-log.ts';
import { type Message, openSession, post, readFrames } from '../open-http.ts';

interface Prompt {
  readonly requestId: string;
  readonly prompt: { readonly markdown: string };
}

/** A server in this process, called as a session of 2025-11-25 without a port. */
async function openServer(add: (server: HoldfastServer) => void, options: Partial<ServerOptions> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-options-'));
  const store = await openSqliteStore({ path: join(dir, 'store', 'tasks.db') });
  const server = createServer({
    name: 'test',
    version: '1',
    workers: 'inline',
    shutdownGraceMs: 500,
    store,
    promptRoots: [dir],
    ...options,
  });
  add(server);
  const listening = await server.listen({ port: 0, unprotected: true });
  onTestFinished(async () => {
    await listening.close();
    await server.close();
    await store.close();
    await rm(dir, { recursive: true });
  });
  const headers = await openSession(listening.url);
  const call = async (args: object, meta: object = {}): Promise<Message> => {
    const params = { name: 't', arguments: args, _meta: meta };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return readFrames(await post(listening.url, { body, headers })).message();
  };
  const prompts = async (): Promise<Prompt[]> => {
    const log = join(toOwnLogDirectory(join(dir, 'store'), 'local'), 'ui-prompts.jsonl');
    const text = await readFile(log, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Prompt]));
  };
  return { call, prompts, dir };
}

const echo: ServerTool = { run: (args) => JSON.stringify(args) };

describe('what a tool prepares', () => {
  const input = z.object({ prompt: z.string().min(1) });

  it('[STREAM-01] is made of the raw call before its arguments are checked, and is there when it runs', async () => {
    const { call } = await openServer((server) =>
      server.tool('t', {
        input,
        prepare: ({ args, meta }) => ({ args: args as { prompt: string }, workdir: String(meta.workdir) }),
        run: (_, task) => JSON.stringify(task.prepared),
      }),
    );
    const { result } = await call({ prompt: 'hello', extra: 1 }, { workdir: '/somewhere' });
    const [part] = (result?.content ?? []) as { text: string }[];
    expect(JSON.parse(part?.text ?? '')).toEqual({ args: { prompt: 'hello', extra: 1 }, workdir: '/somewhere' });
  });

  it('[STREAM-01] is there for a tool that is never a task', async () => {
    const { call } = await openServer((server) =>
      server.tool('t', { task: 'never', prepare: () => 7, run: (_, task) => String(task.prepared) }),
    );
    expect((await call({})).result).toMatchObject({ content: [{ text: '7' }] });
  });

  it('[STREAM-02] may refuse the call in its own words', async () => {
    let runs = 0;
    const { call } = await openServer((server) =>
      server.tool('t', {
        input,
        prepare() {
          throw new TaskError('INVALID_ARGUMENT', 'prompt is required');
        },
        run: () => String(++runs),
      }),
    );
    expect((await call({})).error).toMatchObject({ code: -32602, message: 'prompt is required' });
    expect(runs).toBe(0);
  });

  it('[STREAM-01] keeps plain calls apart that differ only in it', () => {
    const call = { caller: { principal: 'ann' }, tool: { name: 't' } } as CheckedCall;
    const toKey = (prepared?: string) =>
      toJoinKeys({ ...call, stored: { input: {}, upfront: {}, ...(prepared !== undefined && { prepared }) } }).key;
    expect(new Set([toKey(), toKey('/a'), toKey('/b'), toKey('/a')]).size).toBe(3);
  });
});

describe('a tool whose contract of prompts is optional', () => {
  it('[SEC-102] is under it when its server says so for tools that say nothing', async () => {
    const on = await openServer((server) => server.tool('t', echo), { asyncTask: { tools: ['T'] } });
    expect((await on.call({}, { taskId: 'h-1' })).result).toMatchObject({ structuredContent: { status: 'accepted' } });
    const other = await openServer((server) => server.tool('t', echo), { asyncTask: { tools: ['u'] } });
    expect((await other.call({}, { taskId: 'h-1' })).result).toMatchObject({ content: [{ text: '{}' }] });
    const off = await openServer((server) => server.tool('t', { ...echo, asyncTask: false }), { asyncTask: true });
    expect((await off.call({}, { taskId: 'h-1' })).result).toMatchObject({ content: [{ text: '{}' }] });
    expect(() => createServer({ name: 'x', version: '1', asyncTask: { optional: 'no' as never } })).toThrow(
      'asyncTask.optional is "no"; expected true, false or "asked"',
    );
  });

  it('[SEC-100] refuses a task id that is too long to be one', async () => {
    for (const task of ['auto', 'never'] as const) {
      const { call } = await openServer((server) =>
        server.tool('t', { ...echo, task, asyncTask: { taskIdKey: 'hostTask' } }),
      );
      const { error } = await call({}, { hostTask: 'x'.repeat(100_000) });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expected 512') });
    }
  });

  const optional: ServerTool = { ...echo, asyncTask: { optional: true } };

  it('[STREAM-03] acknowledges calls with a task id and answers others as ever', async () => {
    const { call, prompts } = await openServer((server) => server.tool('t', optional));
    expect((await call({}, { taskId: 'h-1' })).result).toMatchObject({
      structuredContent: { status: 'accepted', taskId: 'h-1' },
    });
    expect((await call({})).result).toMatchObject({ content: [{ text: '{}' }] });
    await until(async () => (await prompts()).length > 0, { what: 'the prompt' });
    expect(await prompts()).toMatchObject([{ requestId: 'h-1' }]);
  });

  it.each([
    ['chatos', { chatos: {} }],
    ['asyncTask', { asyncTask: {} }],
    ['asyncTask for other tools', { asyncTask: { tools: ['other'] } }],
    ['an empty id', { taskId: '' }],
    ['an id that is no text', { taskId: 7 }],
  ])('[STREAM-04] refuses a call without a task id that comes with %s', async (_what, meta) => {
    const { call } = await openServer((server) => server.tool('t', optional));
    expect((await call({}, meta)).error).toMatchObject({ code: -32602, message: 'taskId is required in _meta' });
  });

  it('[STREAM-05] takes only calls with a task id when the server requires one', async () => {
    const { call } = await openServer((server) => server.tool('t', optional), { requireTaskId: true });
    expect((await call({})).error).toMatchObject({ code: -32602, message: 'taskId is required in _meta' });
    expect((await call({}, { taskId: 'h-1' })).result).toMatchObject({ structuredContent: { taskId: 'h-1' } });
  });

  it('[STREAM-06] with promptAlways writes one result prompt for each call, whatever its form', async () => {
    const always: ServerTool = { ...echo, asyncTask: { optional: true, promptAlways: true } };
    const { call, prompts } = await openServer((server) => server.tool('t', always));
    await call({ n: 1 }, { taskId: 'h-1' });
    await call({ n: 2 });
    const job = (await call({ n: 3 }, { 'holdfast/job': true })).result?.structuredContent as {
      data: { job_id: string };
    };
    await until(async () => (await prompts()).length === 3, { what: 'three prompts' });
    const found = new Map((await prompts()).map(({ requestId, prompt }) => [requestId, prompt.markdown]));
    expect(found.get('h-1')).toBe('{"n":1}');
    expect(found.get(job.data.job_id)).toBe('{"n":3}');
    expect(found.size).toBe(3);
  });
});

describe('options of a tool that cannot be used', () => {
  const add = (tool: object) =>
    createServer({ name: 'test', version: '1' }).tool('t', { ...echo, ...tool } as ServerTool);

  it.each([
    [{ prepare: 7 }, 'prepare is 7; expected a function'],
    [{ stream: 'yes' }, 'stream is "yes"; expected'],
    [{ stream: { app: 'no spaces' } }, 'stream.app is "no spaces"; expected'],
    [{ stream: { describe: 1 } }, 'stream.describe is 1; expected a function'],
    [{ stream: true, task: 'never' }, "stream is true; expected only with task 'auto' or 'always'"],
    [{ asyncTask: { optional: 'yes' } }, 'asyncTask.optional is "yes"; expected true, false or "asked"'],
    [{ asyncTask: { promptAlways: 1 } }, 'asyncTask.promptAlways is 1; expected true or false'],
  ])('[STREAM-07] %j is refused when it is registered', (tool, message) => {
    expect(() => add(tool)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => add(tool)).toThrow(message);
  });

  it('[HOSTS-234] warmWorker is true or false', () => {
    const options = { name: 'test', version: '1', warmWorker: 'yes' } as unknown as ServerOptions;
    expect(() => createServer(options)).toThrow('warmWorker is "yes"; expected true or false');
  });

  it('[STREAM-07] requireTaskId is true or false', () => {
    const options = { name: 'test', version: '1', requireTaskId: 1 } as unknown as ServerOptions;
    expect(() => createServer(options)).toThrow('requireTaskId is 1; expected true or false');
  });
});
