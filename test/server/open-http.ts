import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServer,
  createTaskClient,
  type HoldfastServer,
  openSqliteStore,
  type ServerOptions,
  type Store,
  type TaskClient,
} from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { beatHere } from '../beat-here.ts';

/** One store, servers on it that speak HTTP, and a look at the tasks. */
export interface HttpRig {
  /** What the store says of tasks, whoever owns them. */
  readonly tasks: TaskClient;
  /** Starts another server on the same store; its URL. */
  serve(options?: Partial<ServerOptions>, prepare?: (server: HoldfastServer) => void): Promise<string>;
  /** Closes the server at this URL. */
  stop(url: string): Promise<void>;
  /** Lets `wait` tools return. */
  open(gate?: string): void;
  /** The id of the only task there is. */
  onlyTask(principal?: string): Promise<string>;
  /** The calls that are waited for or were left. */
  holds(): ReturnType<Store['holds']['list']>;
  /** What servers reported so far; errors that nobody takes fail the test. */
  takeErrors(): unknown[];
}

export async function openHttp(): Promise<HttpRig> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-http-'));
  const path = join(dir, 'tasks.db');
  const closers: (() => Promise<unknown>)[] = [];
  const servers = new Map<string, HoldfastServer>();
  const gates = new Set<string>();
  let errors: unknown[] = [];
  const view = await openSqliteStore({ path });
  const tasks = createTaskClient(view);
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close();
    await view.close();
    await rm(dir, { recursive: true });
    expect(errors, 'errors that servers reported').toEqual([]);
  });
  const serve: HttpRig['serve'] = async (options = {}, prepare = () => {}) => {
    const store = await openSqliteStore({ path });
    const onError = (error: unknown) => void errors.push(error);
    const server = createServer({
      name: 'test',
      version: '1.0.0',
      identity: 'test',
      workers: 'inline',
      // What still waits when a test ends is not waited for.
      shutdownGraceMs: 500,
      store: beatHere(store),
      onError,
      // Whoever tests who is let in gives a verifier.
      unprotected: options.verify === undefined,
      ...options,
    });
    addTools(server, gates);
    prepare(server);
    const listening = await server.listen({ port: 0 });
    servers.set(listening.url, server);
    closers.push(
      () => store.close(),
      () => server.close(),
      () => listening.close(),
    );
    return listening.url;
  };
  return {
    tasks,
    serve,
    stop: async (url) => servers.get(url)?.close(),
    open: (gate = '') => void gates.add(gate),
    async onlyTask(principal = 'local') {
      const list = async () => (await tasks.list({}, { principal })).tasks;
      const { taskId } = await until(async () => (await list())[0], { what: 'a task' });
      expect(await list()).toHaveLength(1);
      return taskId;
    },
    holds: () => view.holds.list(),
    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
  };
}

function addTools(server: HoldfastServer, gates: ReadonlySet<string>): void {
  const isOpen = (gate: string, signal: AbortSignal) =>
    until(() => gates.has(gate) || signal.aborted, { what: `gate ${gate}` });
  server.tool('greet', {
    input: z.object({ name: z.string() }),
    task: 'never',
    run: ({ name }) => `Hello, ${name}!`,
  });
  server.tool('add', { input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => String(a + b) });
  server.tool('wait', {
    input: z.object({ gate: z.string().optional() }),
    inlineMs: 1,
    async run({ gate = '' }, task) {
      await task.progress(0.5, 'waiting');
      await isOpen(gate, task.signal);
      return 'waited';
    },
  });
  server.tool('confirm', {
    inlineMs: 1,
    async run(_, task) {
      const { sure } = await task.ask({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) });
      return `sure: ${sure}`;
    },
  });
}

const META = 'io.modelcontextprotocol/';
export const SUBSCRIPTION_ID = `${META}subscriptionId`;
const TASKS = `${META}tasks`;

export interface RawRequest {
  readonly method: string;
  readonly params?: Record<string, unknown>;
  readonly id?: number;
  /** Whether the client says that it understands tasks. */
  readonly tasks?: boolean;
  /** What else it says that it can do. */
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends one request of 2026-07-28. */
export function postModern(url: string, request: RawRequest): Promise<Response> {
  const { method, params = {}, id = 1, tasks = false, capabilities = {}, headers, signal } = request;
  const _meta = {
    ...(params._meta as object | undefined),
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'raw', version: '1' },
    [`${META}clientCapabilities`]: { ...(tasks && { extensions: { [TASKS]: {} } }), ...capabilities },
  };
  const name = params.name ?? params.taskId;
  return post(url, {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    ...(signal && { signal }),
  });
}

export interface RawPost {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Who takes the request. @default the network */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export function post(url: string, { body, headers, signal, fetch = globalThis.fetch }: RawPost): Promise<Response> {
  const request = new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  return fetch(request);
}

/** Shakes hands as a client of 2025-11-25; the headers of its session. */
export async function openSession(
  url: string,
  {
    capabilities = {},
    headers = {},
    protocolVersion = '2025-11-25',
  }: { capabilities?: object; headers?: Record<string, string>; protocolVersion?: string } = {},
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
  const response = await post(url, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers });
  expect(await response.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
  return {
    ...headers,
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': protocolVersion,
  };
}

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The JSON-RPC message that is a response's body. */
export async function readJson(response: Response): Promise<Message> {
  return (await response.json()) as Message;
}

/** The frames of an event stream, as they come. */
export interface Frames {
  /** The next message. */
  message(): Promise<Message>;
  /** The next comment or message. */
  frame(): Promise<string>;
  /** True when the stream has ended, and no message came before that. */
  isDone(): Promise<boolean>;
  cancel(): Promise<void>;
}

export function readFrames(response: Response): Frames {
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  onTestFinished(() => reader.cancel().catch(() => {}));
  const frames: string[] = [];
  let rest = '';
  const more = async () => {
    const { done, value } = await reader.read();
    if (done) return false;
    const parts = (rest + new TextDecoder().decode(value)).split('\n\n');
    rest = parts.pop() ?? '';
    frames.push(...parts);
    return true;
  };
  const frame = async () => {
    while (frames.length === 0) if (!(await more())) throw new Error('the stream has ended');
    return frames.shift() as string;
  };
  return {
    frame,
    async message() {
      for (;;) {
        const text = readData(await frame());
        if (text) return JSON.parse(text);
      }
    },
    async isDone() {
      while (await more());
      return frames.every((one) => !readData(one));
    },
    cancel: () => reader.cancel(),
  };
}

/** The message of a frame; events of other names carry none, as clients have it. */
function readData(frame: string): string | undefined {
  const [, name = 'message'] = /^event: (.*)$/m.exec(frame) ?? [];
  return name === 'message' ? /^data: (.*)$/m.exec(frame)?.[1] : undefined;
}
