import { createMemoryStore, createServer, createTaskClient, type ServerOptions } from 'holdfast';
import { createFakeClock, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Message, openHttp, postModern, readJson } from '../open-http.ts';
import { askModern, JOB_META, openJobSession, readAnswer, serveJobs, toReport } from './open-job-calls.ts';

const JOBS = { jobs: 'always' } as const;
const PROFILED = { profiles: { raw: { giveUpMs: 60_000, jobs: true } } };

/** Which form an answer has. */
function toForm({ result, error }: Message): string {
  if (error) return String(error.code);
  if (result?.task) return 'tasks-2025';
  if (result?.resultType === 'task') return 'tasks-2026';
  if ('success' in (result ?? {})) return 'bare';
  return result?.structuredContent ? 'job' : 'held';
}

interface Asked {
  readonly options?: Partial<ServerOptions>;
  readonly meta?: unknown;
  readonly task?: object;
}

const toParams = ({ meta, task }: Asked, name: string) => ({
  name,
  arguments: name === 'add' ? { a: 1, b: 2 } : {},
  ...(meta !== undefined && { _meta: { [JOB_META]: meta } }),
  ...(task && { task }),
});

async function callLegacy(asked: Asked, name = 'add'): Promise<string> {
  const url = await serveJobs(await openHttp(), { inlineMs: 60_000, ...asked.options });
  return toForm(await (await openJobSession(url)).request('tools/call', toParams(asked, name)));
}

async function callModern({ tasks, ...asked }: Asked & { tasks: boolean }, name = 'required'): Promise<string> {
  const url = await serveJobs(await openHttp(), asked.options);
  return toForm(await askModern(url, { method: 'tools/call', params: toParams(asked, name), tasks }));
}

describe('the form of an answer', () => {
  it.each<[string, Asked]>([
    ['held', {}],
    ['job', { meta: true }],
    ['bare', { meta: 'bare' }],
    ['held', { meta: false }],
    ['job', { options: JOBS }],
    ['bare', { options: { ...JOBS, bareJobs: true } }],
    ['held', { options: JOBS, meta: false }],
    ['job', { options: PROFILED }],
    ['held', { options: PROFILED, meta: false }],
    ['held', { options: { profiles: { other: { giveUpMs: 1000, jobs: true } } } }],
    ['tasks-2025', { task: {} }],
    ['tasks-2025', { task: {}, options: JOBS }],
    ['tasks-2025', { task: {}, options: PROFILED }],
    ['tasks-2025', { task: {}, meta: false }],
    ['job', { task: {}, meta: true }],
  ])('[JOB-11] is %s for a legacy client with %o', async (form, asked) => {
    expect(await callLegacy(asked)).toBe(form);
  });

  it.each<[string, Asked & { tasks: boolean }]>([
    ['-32021', { tasks: false }],
    ['job', { tasks: false, meta: true }],
    ['bare', { tasks: false, meta: 'bare' }],
    ['job', { tasks: false, options: JOBS }],
    ['job', { tasks: false, options: PROFILED }],
    ['-32021', { tasks: false, options: JOBS, meta: false }],
    ['tasks-2026', { tasks: true }],
    ['tasks-2026', { tasks: true, options: JOBS }],
    ['tasks-2026', { tasks: true, options: PROFILED }],
    ['tasks-2026', { tasks: true, meta: false }],
    ['job', { tasks: true, meta: true }],
  ])('[JOB-12] of a tool that is always a task is %s for a modern client with %o', async (form, asked) => {
    expect(await callModern(asked)).toBe(form);
  });

  it.each(['yes', 1, null, {}])('[JOB-13] is an error when the call asks for a job with %o', async (meta) => {
    const url = await serveJobs(await openHttp());
    const { error } = await (await openJobSession(url)).request('tools/call', toParams({ meta }, 'add'));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expected true, false or "bare"') });
  });

  it('[JOB-14] is the result itself for a tool that is never a task, whatever is asked', async () => {
    const url = await serveJobs(await openHttp(), JOBS);
    const params = { name: 'greet', arguments: { name: 'Ada' }, _meta: { [JOB_META]: true } };
    const { result } = await (await openJobSession(url)).request('tools/call', params);
    expect(result).toEqual({ content: [{ type: 'text', text: 'Hello, Ada!' }] });
  });

  it.each([{ jobs: 'sometimes' }, { bareJobs: 1 }, { errorDetails: 'yes' }, { profiles: [] }])(
    '[JOB-15] cannot be chosen with the option %o',
    (options) => {
      const [field = ''] = Object.keys(options);
      const given = { name: 'test', version: '1', ...options } as unknown as ServerOptions;
      expect(() => createServer(given)).toThrow(new RegExp(`^${field} is .*; expected`));
    },
  );
});

describe('the first answer of a job', () => {
  it('[JOB-16] is a tool result whose text is its structured content', async () => {
    const url = await serveJobs(await openHttp(), JOBS);
    const { result } = await (await openJobSession(url)).request('tools/call', { name: 'fixed' });
    const report = toReport(result);
    expect(result).toEqual({ content: [{ type: 'text', text: JSON.stringify(report) }], structuredContent: report });
    expect(report).toEqual({
      success: true,
      data: { job_id: expect.any(String), estimated_runtime_seconds: 45, status: 'queued' },
      messages: [{ type: 'info', text: 'Operation queued. Estimated runtime: 45s' }],
    });
  });

  it('[JOB-17] estimates a fixed time, or one second per hundred files', async () => {
    const url = await serveJobs(await openHttp(), JOBS);
    const session = await openJobSession(url);
    const estimate = async (name: string, args = {}) => {
      const { result } = await session.request('tools/call', { name, arguments: args });
      return toReport(result).data.estimated_runtime_seconds;
    };
    expect(await estimate('fixed')).toBe(45);
    expect(await estimate('sync', { files: 500 })).toBe(5);
    expect(await estimate('sync', { files: 1 })).toBe(0.1);
  });

  it('[JOB-18] says so when its estimate is assumed', async () => {
    const url = await serveJobs(await openHttp(), JOBS);
    const { result } = await (await openJobSession(url)).request('tools/call', { name: 'required' });
    expect(toReport(result)).toMatchObject({
      data: { estimated_runtime_seconds: 60 },
      messages: [{ text: 'Operation queued. Estimated runtime: 60s (assumed)' }],
    });
  });

  it('[JOB-19] learns its estimate: the median of the last 20 runs', async () => {
    const { run } = openLearner();
    await run(1_000_000);
    for (let seconds = 1; seconds <= 20; seconds++) await run(seconds * 1000);
    expect(await run(0)).toMatchObject({
      data: { estimated_runtime_seconds: 10.5 },
      messages: [{ text: 'Operation queued. Estimated runtime: 10.5s' }],
    });
  });
});

const META = 'io.modelcontextprotocol/';

/** A server whose tool takes as long as it is told, on a clock of its own. */
function openLearner() {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock });
  const tasks = createTaskClient(store);
  const times = { clock, leaseMs: 1e9 };
  const server = createServer({
    name: 'learn',
    version: '1',
    workers: 'inline',
    store,
    secret: 'nobody knows this one',
    unprotected: true,
    ...times,
    ...JOBS,
  });
  onTestFinished(() => server.close());
  server.tool('learn', { input: z.object({ ms: z.number() }), run: ({ ms }) => clock.advance(ms).then(() => 'done') });
  const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'learn',
  };
  const run = async (ms: number) => {
    const params = { name: 'learn', arguments: { ms }, _meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
    const report = toReport((await readAnswer(await server.fetch(request))).result);
    await untilStatus(tasks, report.data.job_id, 'completed');
    return report;
  };
  return { run };
}

describe('the list of tools', () => {
  const list = async (options: Partial<ServerOptions>, { tasks = false } = {}) => {
    const url = await serveJobs(await openHttp(), options);
    const { result } = await readJson(await postModern(url, { method: 'tools/list', tasks }));
    const tools = result?.tools as { name: string; async?: boolean; outputSchema?: object }[];
    return new Map(tools.map((tool) => [tool.name, tool]));
  };

  it('[JOB-20] shows which tools can be jobs', async () => {
    const tools = await list({});
    expect(tools.get('add')).toMatchObject({ async: true });
    expect(tools.get('required')).toMatchObject({ async: true });
    expect(tools.get('greet')).not.toHaveProperty('async');
    expect(tools.get('test_task_wait')).not.toHaveProperty('async');
  });

  it('[JOB-21] shows no output schema to clients whose plain calls are jobs', async () => {
    for (const options of [JOBS, PROFILED]) {
      expect((await list(options)).get('summary')).not.toHaveProperty('outputSchema');
      expect((await list(options, { tasks: true })).get('summary')).toHaveProperty('outputSchema');
    }
    expect((await list({})).get('summary')).toHaveProperty('outputSchema');
  });

  it.each([
    [undefined, JOBS, { tasks: false }],
    [true, {}, { tasks: false }],
    [true, JOBS, { tasks: true }],
  ])(
    '[JOB-22] and whether the first answer is an error go together: %o with %o and %o',
    async (isError, options, { tasks }) => {
      const url = await serveJobs(await openHttp(), options);
      const params = { name: 'summary', arguments: {}, _meta: { [JOB_META]: true } };
      const { result } = await askModern(url, { method: 'tools/call', params, tasks });
      expect(toReport(result).success).toBe(true);
      expect(result?.isError).toBe(isError);
    },
  );
});
