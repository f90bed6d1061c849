/** What clients that show views of MCP Apps are given, in both eras, and what others are not. */
import type { ServerOptions } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { APP_TOOL, createMirrored, RESOURCE, VIEW } from '../../gateway/mirror/mirrored-upstream.ts';
import { openMirror } from '../../gateway/mirror/open-mirror.ts';
import { type HttpRig, openHttp, openSession, post, postModern, readJson } from '../open-http.ts';
import { toSseData } from '../sse-data.ts';

const UI = 'io.modelcontextprotocol/ui';
const TYPE = 'text/html;profile=mcp-app';
const SHOWS = { extensions: { [UI]: { mimeTypes: [TYPE] } } };
const VIEW_URI = 'ui://holdfast/task';
const ERAS = ['legacy', 'modern'] as const;

type Result = Readonly<Record<string, never>> & { readonly error?: { code: number; message: string } };
type Ask = (method: string, params?: Record<string, unknown>) => Promise<Result>;
interface Listed {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: readonly string[] } };
}

/** A client of a server at an address. */
async function connect(
  url: string,
  era: (typeof ERAS)[number],
  { capabilities = SHOWS as object, headers = {} as Record<string, string> } = {},
): Promise<Ask> {
  const session = era === 'legacy' ? await openSession(url, { capabilities, headers }) : {};
  let id = 0;
  return async (method, params = {}) => {
    id += 1;
    const name = params.uri ?? params.name;
    const named = typeof name === 'string' ? { 'mcp-name': name } : {};
    const response =
      era === 'legacy'
        ? await post(url, { body: { jsonrpc: '2.0', id, method, params }, headers: session })
        : await postModern(url, { method, params, id, capabilities, headers: { ...headers, ...named } });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const message = isStream ? JSON.parse(toSseData(await response.text()).at(-1) ?? '{}') : await readJson(response);
    return message.error ? { error: message.error } : message.result;
  };
}

async function open(options: Partial<ServerOptions> = {}): Promise<{ rig: HttpRig; url: string }> {
  const rig = await openHttp();
  const url = await rig.serve({ ui: true, ...options }, (server) => {
    server.tool('own_view', { _meta: { ui: { resourceUri: 'ui://mine' } }, run: () => 'mine' });
    server.tool('for_apps', { _meta: { ui: { visibility: ['app'] } }, run: (_, { taskId }) => `task "${taskId}"` });
    server.mcp((mcp) =>
      mcp.registerResource('own', 'own://one', {}, async (uri) => ({ contents: [{ uri: uri.href, text: 'mine' }] })),
    );
  });
  return { rig, url };
}

const listTools = async (ask: Ask) => (await ask('tools/list')).tools as unknown as readonly Listed[];
const listUris = async (ask: Ask) =>
  ((await ask('resources/list')).resources as unknown as { uri: string }[]).map(({ uri }) => uri);
const callView = async (ask: Ask, args: object, name = 'holdfast_task_view') =>
  ask('tools/call', { name, arguments: args });

describe.each(ERAS)('a client of the %s era that shows views', (era) => {
  it('[SAND-240] is told of the view of every tool that may be a task, and of the tools of the view', async () => {
    const { url } = await open();
    const tools = await listTools(await connect(url, era));
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool._meta?.ui]));
    expect(byName.wait).toEqual({ resourceUri: VIEW_URI });
    expect(byName.greet).toBeUndefined();
    expect(byName.own_view).toEqual({ resourceUri: 'ui://mine' });
    expect(byName.holdfast_task_view).toEqual({ visibility: ['app'] });
    expect(byName.holdfast_task_act).toEqual({ visibility: ['app'] });
    expect(byName.for_apps).toEqual({ visibility: ['app'] });
  });

  it('[SAND-241] reads the view as one page that needs nothing from outside', async () => {
    const { url } = await open();
    const ask = await connect(url, era);
    expect(await listUris(ask)).toEqual([VIEW_URI, 'own://one']);
    const [page] = (await ask('resources/read', { uri: VIEW_URI })).contents as unknown as [Record<string, unknown>];
    const none = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
    expect(page).toMatchObject({ uri: VIEW_URI, mimeType: TYPE, _meta: { ui: { csp: none } } });
    const text = String(page.text);
    expect(text).toMatch(
      /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha/,
    );
    expect(text).not.toMatch(/ (src|href)="/);
    const own = (await ask('resources/read', { uri: 'own://one' })).contents as unknown as [{ text: string }];
    expect(own[0].text).toBe('mine');
  });

  it('[SAND-242] follows a call by its id, and before by what it was called with', async () => {
    const { url, rig } = await open();
    const ask = await connect(url, era);
    expect((await callView(ask, { tool: 'wait', arguments: { gate: 'a' } })).structuredContent).toEqual({
      now: expect.any(Number),
    });
    const answer = ask('tools/call', { name: 'wait', arguments: { gate: 'a' } });
    const find = async () =>
      (await callView(ask, { tool: 'wait', arguments: { gate: 'a' } })).structuredContent as unknown as {
        task?: { taskId: string; progress?: object };
      };
    const { task } = await until(async () => (await find()).task?.progress && (await find()), { what: 'progress' });
    expect(task).toMatchObject({ tool: 'wait', args: { gate: 'a' }, progress: { value: 0.5, message: 'waiting' } });
    expect((await callView(ask, { tool: 'wait', arguments: { gate: 'b' } })).structuredContent).not.toHaveProperty(
      'task',
    );
    rig.open('a');
    expect(await answer).toMatchObject({ content: [{ text: 'waited' }] });
    expect((await callView(ask, { task_id: task?.taskId })).structuredContent).toMatchObject({
      task: { outcome: { kind: 'result', isError: false, result: { content: [{ text: 'waited' }] } } },
    });
    // What has ended is found by its id only.
    expect(await find()).not.toHaveProperty('task');
  });

  it('[SAND-243] answers a question, and stops a call', async () => {
    const { url, rig } = await open();
    const ask = await connect(url, era);
    const asked = await ask('tools/call', { name: 'confirm', arguments: {} });
    expect(JSON.stringify(asked)).toContain('the user has to answer first');
    const taskId = await rig.onlyTask();
    const act = (args: object) => callView(ask, { task_id: taskId, ...args }, 'holdfast_task_act');
    const { task } = (await callView(ask, { task_id: taskId })).structuredContent as unknown as {
      task: { questions: [{ key: string; request: object }] };
    };
    const [{ key, request }] = task.questions;
    expect(request).toMatchObject({ method: 'elicitation/create', params: { mode: 'form', message: 'Sure?' } });
    const wrong = await act({ key, action: 'accept', content: { sure: 'perhaps' } });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'ANSWER_INVALID' } });
    expect(await act({ key, action: 'accept', content: { sure: true } })).not.toHaveProperty('isError');
    expect(await act({ key, action: 'accept', content: { sure: true } })).toMatchObject({ isError: true });
    const ended = await until(
      async () => {
        const { structuredContent } = await callView(ask, { task_id: taskId });
        return (structuredContent as unknown as { task: { outcome?: object } }).task.outcome;
      },
      { what: 'the outcome' },
    );
    expect(ended).toMatchObject({ result: { content: [{ text: 'sure: true' }] } });
    const open2 = ask('tools/call', { name: 'wait', arguments: {} });
    const found = await until(
      async () =>
        ((await callView(ask, { tool: 'wait' })).structuredContent as unknown as { task?: { taskId: string } }).task,
      { what: 'the task' },
    );
    const stopped = await callView(ask, { task_id: found.taskId, action: 'stop' }, 'holdfast_task_act');
    expect(stopped.structuredContent).toMatchObject({ task: { outcome: { kind: 'cancelled' } } });
    await open2;
  });

  it('[SAND-244] sees no task of another principal, and cannot act on one', async () => {
    const verify = (request: Request) => ({
      issuer: 'https://id.example',
      subject: request.headers.get('authorization') ?? 'nobody',
    });
    const { url, rig } = await open({ verify });
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((authorization) => connect(url, era, { headers: { authorization } })),
    );
    const answer = ada?.('tools/call', { name: 'wait', arguments: {} });
    const seen = async (ask: Ask | undefined) =>
      ask &&
      ((await callView(ask, { tool: 'wait' })).structuredContent as unknown as { task?: { taskId: string } }).task;
    const { taskId } = await until(() => seen(ada), { what: 'the task' });
    expect(await seen(bob)).toBeUndefined();
    const refused = { isError: true, structuredContent: { code: 'TASK_NOT_FOUND' } };
    expect(await callView(bob as Ask, { task_id: taskId })).toMatchObject(refused);
    const stop = { task_id: taskId, action: 'stop' };
    expect(await callView(bob as Ask, stop, 'holdfast_task_act')).toMatchObject(refused);
    rig.open();
    expect(await answer).toMatchObject({ content: [{ text: 'waited' }] });
  });

  it('[SAND-245] has tools for apps only answered at once, and never as a task', async () => {
    const { url, rig } = await open();
    const ask = await connect(url, era);
    expect(await ask('tools/call', { name: 'for_apps' })).toMatchObject({ content: [{ text: 'task ""' }] });
    for (const args of [{}, { task_id: 'a', tool: 'b' }, { task_id: 7 }, { tool: 'wait', arguments: [] }])
      expect(await callView(ask, args)).toMatchObject({
        isError: true,
        structuredContent: { code: 'INVALID_ARGUMENT' },
      });
    expect((await rig.tasks.list()).tasks).toEqual([]);
  });

  it('[SAND-247] gets the view from a gateway too, and the views of the servers behind it', async () => {
    const { url } = await openMirror({ upstream: createMirrored(), ui: true });
    const ask = await connect(url, era);
    const tools = Object.fromEntries((await listTools(ask)).map((tool) => [tool.name, tool._meta?.ui]));
    expect(tools.echo).toMatchObject({ resourceUri: VIEW_URI });
    expect(tools.refresh).toEqual(APP_TOOL._meta.ui);
    const uris = await listUris(ask);
    expect(uris).toEqual([VIEW_URI, RESOURCE.uri, VIEW.uri]);
    const read = async (uri: string) =>
      ((await ask('resources/read', { uri })).contents as unknown as [{ uri: string; mimeType: string }])[0];
    expect(await read(VIEW_URI)).toMatchObject({ mimeType: TYPE });
    expect(await read(RESOURCE.uri)).toMatchObject({ uri: RESOURCE.uri });
  });
});

describe.each(ERAS)('a client of the %s era that shows none', (era) => {
  it('[SAND-246] sees no tool for apps and no view, nor does any client of a server without views', async () => {
    const { url } = await open();
    const plain = await connect(url, era, { capabilities: { extensions: { [UI]: { mimeTypes: ['text/plain'] } } } });
    const tools = await listTools(plain);
    expect(tools.find(({ name }) => name === 'wait')?._meta).toBeUndefined();
    expect(tools.map(({ name }) => name).filter((name) => /holdfast|apps/.test(name))).toEqual([]);
    expect(await listUris(plain)).toEqual(['own://one']);
    const without = await open({ ui: false });
    const ask = await connect(without.url, era);
    expect((await listTools(ask)).map(({ name }) => name)).not.toContain('holdfast_task_view');
    expect(await listUris(ask)).toEqual(['own://one']);
    expect((await callView(ask, { task_id: 'a' })).error?.message).toContain('Unknown tool');
    expect((await ask('resources/read', { uri: VIEW_URI })).error?.message).toContain('not found');
  });
});
