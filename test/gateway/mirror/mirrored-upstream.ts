/** A server by hand, in this process: it says exactly what it is told to, and keeps what it hears. */
import type { InProcessServer } from 'holdfast/gateway';

type Params = Record<string, unknown>;
type Message = { id?: unknown; method?: string; params?: Params; result?: Params; error?: unknown };
type Methods = Record<string, (params: Params, id: unknown) => unknown>;

interface Line {
  onmessage?: (message: Message) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

export interface MirroredUpstream extends InProcessServer {
  /** Requests and notifications that came in, but for the handshake. */
  readonly heard: { readonly method: string; readonly params: Params }[];
  tell(method: string, params?: Params): Promise<void>;
  ask(method: string, params?: Params): Promise<Params>;
}

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const PROMPT = { name: 'greet', title: 'Greet', icons: [{ src: 'data:,' }], 'x-own': 1 };
export const RESOURCE = { uri: 'made://one', name: 'one', _meta: { 'x-own': 1 } };
export const VIEW = { uri: 'ui://view', name: 'view', mimeType: 'text/html;profile=mcp-app' };
export const TOOL = {
  name: 'echo',
  title: 'Echo',
  description: 'Says what it was called with',
  inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-own': true } }, $defs: { a: {} } },
  outputSchema: { type: 'object', properties: { called: {} } },
  annotations: { readOnlyHint: true, 'x-own': 1 },
  icons: [{ src: 'data:,' }],
  _meta: { 'x-own': { deep: [1] } },
  'x-own': 'kept',
};
export const APP_TOOL = {
  name: 'refresh',
  inputSchema: { type: 'object' },
  _meta: { ui: { resourceUri: VIEW.uri, visibility: ['app'] } },
};

export const INFO = { name: 'mirrored', version: '3.2.1', title: 'Mirrored', websiteUrl: 'https://example.com' };
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
  experimental: { 'x-own': { a: 1 } },
};

/** @param own methods in place of, or beside, those that it has by itself */
export function createMirrored(own: Methods = {}): MirroredUpstream {
  const heard: MirroredUpstream['heard'] = [];
  const asked = new Map<unknown, (result: Params) => void>();
  let lines: Line[] = [];
  let lastId = 0;
  const methods: Methods = { ...toMethods((message) => sendAll(message)), ...own };
  const sendAll = async (message: object) => {
    await Promise.all(lines.map((line) => line.send({ jsonrpc: '2.0', ...message })));
  };
  const take = async (line: Line, { id, method, params = {}, result }: Message) => {
    if (method === undefined) return asked.get(id)?.(result ?? {});
    if (method !== 'initialize' && method !== 'server/discover') heard.push({ method, params });
    if (id === undefined) return;
    const serve = methods[method];
    const reply = (answer: object) => line.send({ jsonrpc: '2.0', id, ...answer });
    if (!serve) return reply({ error: { code: -32601, message: `no ${method}` } });
    try {
      return await reply({ result: await serve(params, id) });
    } catch (error) {
      const { code = -32603, message, data } = error as RpcError;
      return reply({ error: { code, message, ...(data !== undefined && { data }) } });
    }
  };
  return {
    heard,
    async connect(transport) {
      const line = transport as unknown as Line;
      line.onmessage = (message) => void take(line, message);
      lines = [line];
      await line.start();
    },
    tell: (method, params = {}) => sendAll({ method, params }),
    ask: (method, params = {}) =>
      new Promise((resolve) => {
        lastId += 1;
        asked.set(`q${lastId}`, resolve);
        void sendAll({ id: `q${lastId}`, method, params });
      }),
  };
}

function toMethods(send: (message: object) => Promise<void>): Methods {
  return {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: INFO,
      instructions: 'Echo first.',
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [TOOL, APP_TOOL] }),
    'tools/call': ({ name, arguments: args, _meta }) => {
      const called = { name, args, _meta };
      return { content: [{ type: 'text', text: JSON.stringify(called) }], structuredContent: { called }, 'x-own': 1 };
    },
    'prompts/list': ({ cursor }) => (cursor === 'p2' ? { prompts: [PROMPT] } : { prompts: [], nextCursor: 'p2' }),
    'prompts/get': ({ name }) => ({ messages: [], description: `${name}`, _meta: { 'x-own': 1 } }),
    'resources/list': () => ({ resources: [RESOURCE, VIEW] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'made://{x}', name: 'any' }] }),
    async 'resources/read'({ uri, _meta }) {
      if (uri !== RESOURCE.uri) throw new RpcError(-32002, 'Resource not found', { uri });
      const { progressToken } = (_meta ?? {}) as Params;
      if (progressToken !== undefined) {
        await send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      }
      return { contents: [{ uri, text: 'one' }] };
    },
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'completion/complete': ({ ref, argument }) => ({ completion: { values: [JSON.stringify([ref, argument])] } }),
    'logging/setLevel': () => ({}),
    'x/echo': (params) => ({ params }),
  };
}
