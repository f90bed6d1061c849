/**
 * Sessions of `@modelcontextprotocol/ext-tasks` on top of the SDK's client.
 *
 * The SDK's client does not let the answers of 2026-07-28 tasks through, so the host sends those requests itself, on the
 * same transport, and takes their answers out by their ids.
 */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  type ApplicationElicitResult,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';
import { onTestFinished } from 'vitest';
import type { Site } from './site.ts';

export type Medium = 'stdio' | 'http';

export interface ExtTasksOptions {
  readonly site: Site;
  readonly medium: Medium;
  readonly era: 'modern' | 'legacy';
  /** Of a server that runs already. */
  readonly url?: string;
}

export interface ExtTasks {
  readonly session: TaskEnabledSession;
  /** What the user was asked: message and the way it came. */
  readonly asked: string[];
  /** Lists the tools, from which the session learns which may be tasks. */
  listTools(): Promise<unknown>;
  /** Ends the client as a host that exits: no task is cancelled, and over stdio its server ends too. */
  leave(): Promise<void>;
}

const ME = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };

/** Fits every form of the reports server. */
const CONTENT: Readonly<Record<string, ApplicationElicitResult['content']>> = {
  'Really?': { really: true },
  'Who signs?': { name: 'Ada' },
  'Where?': { place: 'London' },
  'How many?': { copies: 3 },
};

export async function connectExtTasks({ era, ...options }: ExtTasksOptions): Promise<ExtTasks> {
  const client = new Client(ME, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
  });
  const transport = await openTransport(options);
  await client.connect(transport);
  const asked: string[] = [];
  const onInputRequest = createApplicationInputHandler({
    elicitation({ params }, { delivery }) {
      const message = String(params.message);
      asked.push(`${message} by ${delivery}`);
      return { action: 'accept', content: CONTENT[message] ?? {} };
    },
    sampling: () => Promise.reject(new Error('no model here')),
    roots: () => ({ roots: [] }),
  });
  const raw = {
    rawDispatch: openRawDispatch(transport),
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo: ME, clientCapabilities: CAPABILITIES },
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: 'reports',
    onInputRequest,
    ...(era === 'modern' && raw),
  });
  let isGone = false;
  const leave = async () => {
    if (isGone) return;
    isGone = true;
    await client.close();
  };
  onTestFinished(leave);
  return { session, asked, leave, listTools: () => client.listTools() };
}

async function openTransport({ site, medium, url }: Omit<ExtTasksOptions, 'era'>): Promise<Transport> {
  if (medium === 'stdio') return new StdioClientTransport(site.command);
  return new StreamableHTTPClientTransport(new URL(url ?? (await site.serve()).url));
}

/** Only once the client is connected: it takes the transport's messages for itself. */
function openRawDispatch(transport: Transport): RawClientDispatch {
  const waiting = new Map<unknown, (message: object) => void>();
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const take = 'id' in message && !('method' in message) ? waiting.get(message.id) : undefined;
    if (take) take(message);
    else deliver?.(message, extra);
  };
  let count = 0;
  return async (request, { signal, context } = {}) => {
    count += 1;
    const id = `raw-${count}`;
    const answer = new Promise<object>((resolve, reject) => {
      waiting.set(id, resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      const sent = transport.send(
        { jsonrpc: '2.0', id, ...(request as { method: string }) },
        { ...toHeaders(context) },
      );
      const message = (await Promise.race([answer, sent.then(() => answer)])) as Answer;
      return 'error' in message ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result };
    } finally {
      waiting.delete(id);
    }
  };
}

type Dispatched = Awaited<ReturnType<RawClientDispatch>>;
type Answer =
  | Omit<Extract<Dispatched, { kind: 'error' }>, 'kind'>
  | Omit<Extract<Dispatched, { kind: 'result' }>, 'kind'>;

function toHeaders(context: { readonly headers?: Readonly<Record<string, string>> } | undefined) {
  return context?.headers && { headers: { ...context.headers } };
}
