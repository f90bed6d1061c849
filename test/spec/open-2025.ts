import { randomUUID } from 'node:crypto';
import { OPERATOR, type ServerOptions } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { addSpecTools } from '../programs/dialects/tasks-2025-tools.js';
import { type Frames, type HttpRig, type Message, openHttp, post, readFrames, readJson } from '../server/open-http.ts';

export const RELATED = 'io.modelcontextprotocol/related-task';
export const STATUS = 'notifications/tasks/status';
export const NOT_FOUND = { code: -32602, message: 'Failed to retrieve task: Task not found' };
export const YES = { action: 'accept', content: { sure: true } };
export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {} };

export interface ClientOptions {
  readonly name?: string;
  readonly capabilities?: object;
  /** Added to every request. */
  readonly headers?: Record<string, string>;
}

type Params = Record<string, unknown>;
export type TaskShape = { readonly taskId: string; readonly status: string; readonly [key: string]: unknown };

/** A request whose answer has not been read yet. */
export interface OpenRequest {
  readonly id: string;
  readonly frames: Frames;
  /** The answer, after whatever else comes on the stream. */
  answer(): Promise<Message>;
}

/** A client of 2025-11-25 over HTTP, in raw JSON-RPC. */
export interface Legacy {
  readonly headers: Record<string, string>;
  /** What `initialize` answered. */
  readonly welcome: Params;
  /** The answer to a request. */
  send(method: string, params?: Params): Promise<Message>;
  /** The result of a request that must succeed. */
  ask(method: string, params?: Params): Promise<Params>;
  /** Sends a request and leaves its stream in the hands of the test. */
  request(method: string, params?: Params, signal?: AbortSignal): Promise<OpenRequest>;
  /** Opens the standing stream. */
  listen(signal?: AbortSignal): Promise<Frames>;
  /** Posts a response to a request of the server. */
  answer(id: unknown, result: unknown): Promise<Response>;
  notify(method: string, params: Params): Promise<Response>;
  /** Calls a tool as a task. */
  start(tool: string, given?: { args?: object; task?: object; _meta?: object }): Promise<TaskShape>;
  get(taskId: string): Promise<TaskShape>;
  untilStatus(taskId: string, status: string): Promise<TaskShape>;
  release(gate?: string): Promise<void>;
}

export interface LegacyRig extends Legacy {
  readonly rig: HttpRig;
  readonly url: string;
}

// Headers of a stream leave with its first byte.
export const PACE = { firstCommentMs: 20, keepAliveMs: 200 };

/** A server with the tools of the specification tests, and a client of it. */
export async function openLegacy(
  options: Partial<ServerOptions> = {},
  client: ClientOptions = { capabilities: EVERYTHING },
): Promise<LegacyRig> {
  const rig = await openHttp();
  const url = await rig.serve({ http: PACE, ...options }, addSpecTools);
  // Before the servers close: they would wait for what still runs.
  onTestFinished(async () => {
    for (const { taskId } of (await rig.tasks.list({ limit: 1000 }, { principal: OPERATOR })).tasks) {
      await rig.tasks.cancel(taskId, { principal: OPERATOR });
    }
  });
  return { rig, url, ...(await connect(url, client)) };
}

/** Shakes hands with a server. */
export async function connect(url: string, options: ClientOptions = {}): Promise<Legacy> {
  const { name = 'raw', capabilities = {}, headers = {} } = options;
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name, version: '1' } };
  const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const response = await post(url, { body, headers });
  const { result } = await readFrames(response).message();
  const session = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
  const client = speak(url, { ...headers, ...session, 'mcp-protocol-version': '2025-11-25' });
  expect((await client.notify('notifications/initialized', {})).status).toBe(202);
  return { ...client, welcome: result as Params };
}

/** The client of a session that is open already, perhaps on another server. */
export function speak(url: string, headers: Record<string, string>): Legacy {
  const request: Legacy['request'] = async (method, params = {}, signal) => {
    const id = `${method}:${randomUUID()}`;
    const response = await post(url, {
      body: { jsonrpc: '2.0', id, method, params },
      headers,
      ...(signal && { signal }),
    });
    return toOpenRequest(id, response);
  };
  const send: Legacy['send'] = async (method, params) => (await request(method, params)).answer();
  const ask: Legacy['ask'] = async (method, params) => {
    const { result, error } = await send(method, params);
    expect(error).toBeUndefined();
    return result as Params;
  };
  const get: Legacy['get'] = async (taskId) => (await ask('tasks/get', { taskId })) as TaskShape;
  return {
    headers,
    welcome: {},
    send,
    ask,
    request,
    get,
    listen: async (signal) =>
      readFrames(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: signal ?? null })),
    answer: (id, result) => post(url, { body: { jsonrpc: '2.0', id, result }, headers }),
    notify: (method, params) => post(url, { body: { jsonrpc: '2.0', method, params }, headers }),
    async start(name, { args = {}, task = {}, _meta } = {}) {
      const created = await ask('tools/call', { name, arguments: args, task, ...(_meta && { _meta }) });
      return created.task as TaskShape;
    },
    untilStatus: (taskId, status) =>
      until(async () => [await get(taskId)].find((task) => task.status === status), { what: `${taskId} ${status}` }),
    async release(gate = '') {
      await ask('tools/call', { name: 'release', arguments: { gate } });
    },
  };
}

function toOpenRequest(id: string, response: Response): OpenRequest {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const frames: Frames = isStream ? readFrames(response) : toOneMessage(response);
  const answer = async () => {
    for (;;) {
      const message = await frames.message();
      if (message.id === id && message.method === undefined) return message;
    }
  };
  return { id, frames, answer };
}

function toOneMessage(response: Response): Frames {
  return {
    message: () => readJson(response),
    frame: () => response.text(),
    isDone: async () => true,
    cancel: async () => {},
  };
}

/** The next message of this method, passing over others. */
export async function nextOf(frames: Pick<Frames, 'message'>, method: string): Promise<Message> {
  for (;;) {
    const message = await frames.message();
    if (message.method === method) return message;
  }
}
