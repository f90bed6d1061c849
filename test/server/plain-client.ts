/** A client over HTTP that knows nothing of tasks, shows everything it hears, and can be told when to leave. */
import { expect } from 'vitest';
import { type Message, post, postModern } from './open-http.ts';
import { toSseData } from './sse-data.ts';

export interface PlainOptions {
  /** What it calls itself. @default 'plain' */
  readonly name?: string;
  /** @default '1' */
  readonly version?: string;
  /** @default '2025-11-25' */
  readonly protocolVersion?: string;
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
  /** Who takes its requests. @default the network */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface CallOptions {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Asks for a task. */
  readonly task?: object;
  /** Called with every notification as it comes. */
  readonly onMessage?: (message: Message) => void;
}

/** What came on the line of one call. */
export interface Heard {
  readonly result?: ToolResult;
  readonly error?: Message['error'];
  /** Everything else, in order. */
  readonly others: readonly Message[];
  /** Whether something came after the answer. */
  readonly isAnswerLast: boolean;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly _meta?: { readonly 'holdfast/task'?: { readonly taskId: string; readonly [key: string]: unknown } };
}

export interface PlainClient {
  call(name: string, args?: object, options?: CallOptions): Promise<Heard>;
  /** Sends another request; what came for it. */
  send(method: string, params: object, onMessage?: (message: Message) => void): Promise<Heard>;
  /** Sends a response to a request of the server's. */
  answer(id: string | number | undefined, response: object): Promise<Response>;
  /** Cancels the newest call. */
  cancel(reason?: string): Promise<void>;
  /** The names of the tools it is shown. */
  toolNames(): Promise<string[]>;
}

/** Shakes hands as a client of the legacy era. */
export async function openPlain(url: string, options: PlainOptions = {}): Promise<PlainClient> {
  const { name = 'plain', version = '1', protocolVersion = '2025-11-25', capabilities = {}, headers = {} } = options;
  const params = { protocolVersion, capabilities, clientInfo: { name, version } };
  const way = options.fetch && { fetch: options.fetch };
  const opened = await post(url, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers, ...way });
  expect(opened.status).toBe(200);
  await opened.text();
  const session = {
    ...headers,
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': protocolVersion,
  };
  let lastId = 0;
  const send = (method: string, body: object, signal?: AbortSignal) =>
    post(url, { body: { jsonrpc: '2.0', method, ...body }, headers: session, ...way, ...(signal && { signal }) });
  return {
    async call(tool, args = {}, { meta = {}, signal, onMessage, task } = {}) {
      lastId += 1;
      const id = lastId;
      const call = { name: tool, arguments: args, _meta: meta, ...(task && { task }) };
      return readHeard(await send('tools/call', { id, params: call }, signal), id, onMessage);
    },
    async send(method, params, onMessage) {
      lastId += 1;
      const id = lastId;
      return readHeard(await send(method, { id, params }), id, onMessage);
    },
    answer: (id, response) => post(url, { body: { jsonrpc: '2.0', id, ...response }, headers: session, ...way }),
    async cancel(reason) {
      await send('notifications/cancelled', { params: { requestId: lastId, ...(reason !== undefined && { reason }) } });
    },
    async toolNames() {
      lastId += 1;
      const { result } = await readHeard(await send('tools/list', { id: lastId, params: {} }), lastId);
      return toNames(result);
    },
  };
}

/** Calls, and does as it is told until there is a result: a busy machine may hand over what an idle one has done. */
export async function callToEnd(client: PlainClient, name: string, args: object = {}): Promise<Heard> {
  let heard = await client.call(name, args);
  while (taskOf(heard)) {
    const advice = readAdvice(textOf(heard));
    heard = await client.call(advice.name, advice.args);
  }
  return heard;
}

/** One call of a client of 2026-07-28. */
export async function callModern(url: string, name: string, options: ModernCall = {}): Promise<Heard> {
  const { args = {}, onMessage, meta } = options;
  const params = { name, arguments: args, ...(meta && { _meta: meta }) };
  return readHeard(await postModern(url, { method: 'tools/call', params }), 1, onMessage);
}

interface ModernCall extends Omit<CallOptions, 'signal'> {
  readonly args?: object;
}

export async function listModern(url: string, tasks: boolean): Promise<string[]> {
  return toNames((await readHeard(await postModern(url, { method: 'tools/list', tasks }), 1)).result);
}

export const textOf = ({ result }: Heard): string => result?.content[0]?.text ?? '';
export const taskOf = ({ result }: Heard) => result?._meta?.['holdfast/task'];

/** The tool and the arguments that a hand-over tells its reader to go on with. */
export function readAdvice(text: string): { name: string; args: object } {
  const [, name = '', args = '{}'] = /call (\w+) with (\{.*\})\./.exec(text) ?? [];
  return { name, args: JSON.parse(args) };
}

function toNames(result: unknown): string[] {
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

async function readHeard(response: Response, id: number, onMessage?: (message: Message) => void): Promise<Heard> {
  const messages: Message[] = [];
  const take = (json: string) => {
    const message = JSON.parse(json) as Message;
    messages.push(message);
    onMessage?.(message);
  };
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await readEvents(response, take);
  else take(await response.text());
  const answer = messages.find((message) => message.id === id);
  return {
    ...(answer?.result && { result: answer.result as unknown as ToolResult }),
    ...(answer?.error && { error: answer.error }),
    others: messages.filter((message) => message !== answer),
    isAnswerLast: messages.at(-1) === answer,
  };
}

async function readEvents(response: Response, take: (json: string) => void): Promise<void> {
  let rest = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const data of frames.flatMap(toSseData)) take(data);
  }
}
