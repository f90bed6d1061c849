import { isObject } from '../../../is-object.ts';
import { MAX_LINE_BYTES } from '../../../limits.ts';
import type { Json } from '../../../task/json.ts';
import { PendingRequests } from '../pending-requests.ts';
import type { Answer, Connection, Era, JsonObject, Request } from './connection.ts';

export interface HttpPlace {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Opens a connection over Streamable HTTP. A session id from the server is sent with every later request. */
export function openHttpConnection(place: HttpPlace, era: Era): Connection {
  const pending = new PendingRequests();
  const over = new AbortController();
  let sessionId: string | undefined;
  const post = async (message: JsonObject | string, timeoutMs: number): Promise<Response> => {
    const head = typeof message === 'string' ? {} : toHead(message, era);
    const response = await fetch(place.url, {
      method: 'POST',
      body: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }),
      headers: { ...ACCEPT, ...place.headers, ...head, ...(sessionId && { 'mcp-session-id': sessionId }) },
      signal: AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)]),
    });
    sessionId ??= response.headers.get('mcp-session-id') ?? undefined;
    return response;
  };
  return {
    strayResponses: pending.strayResponses,
    async request({ id, method, params, timeoutMs }: Request): Promise<Answer> {
      const answer = pending.expect(id, timeoutMs);
      post({ id, method, params }, timeoutMs)
        .then((response) => takeAll(response, id, pending))
        .catch((error: unknown) => pending.reject(id, toReason(error)));
      return answer;
    },
    async notify(method, params) {
      await (await post({ method, params }, NOTIFY_MS)).body?.cancel();
    },
    async sendMalformed() {
      await (await post('{"jsonrpc":"2.0","id":', NOTIFY_MS)).body?.cancel();
    },
    async close() {
      pending.close(new Error('the connection is closed'));
      over.abort();
      if (sessionId !== undefined) await end(place, { sessionId, era });
    },
  };
}

const NOTIFY_MS = 10_000;
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */
function toHead({ method, params }: JsonObject, era: Era): Record<string, string> {
  // Before a version is negotiated, a legacy request names none.
  if (era === '2025-11-25') return method === 'initialize' ? {} : { 'mcp-protocol-version': era };
  const given = isObject(params) ? params : {};
  const name = String(method).startsWith('tasks/') ? given.taskId : given.name;
  return {
    'mcp-protocol-version': era,
    'mcp-method': String(method),
    ...(typeof name === 'string' && { 'mcp-name': toHeaderText(name) }),
  };
}

function toHeaderText(text: string): string {
  return PLAIN.test(text) ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Reads the whole response body: there may be another response after the expected one. */
async function takeAll(response: Response, id: string, pending: PendingRequests): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let rest = '';
  let length = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_LINE_BYTES) throw new Error(`the answer is larger than ${MAX_LINE_BYTES} bytes`);
    rest += decoder.decode(chunk, { stream: true });
    if (isStream) rest = takeEvents(rest, pending);
  }
  if (isStream) takeEvents(`${rest}\n\n`, pending);
  else takeText(rest, pending);
  pending.reject(id, `HTTP ${response.status} without an answer`);
}

/** Processes complete events and returns the remaining text. */
function takeEvents(text: string, pending: PendingRequests): string {
  const events = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = events.pop() ?? '';
  for (const event of events) {
    const data = event.split('\n').filter((line) => line.startsWith('data:'));
    takeText(data.map((line) => line.slice(5).trimStart()).join('\n'), pending);
  }
  return rest;
}

function takeText(text: string, pending: PendingRequests): void {
  try {
    const parsed: unknown = JSON.parse(text);
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    for (const message of messages)
      if (isObject<Json>(message) && message.method === undefined) pending.settle(message);
  } catch {
    // Not a message; a pending request is rejected when the response ends.
  }
}

async function end(place: HttpPlace, { sessionId, era }: { sessionId: string; era: Era }): Promise<void> {
  const headers = { ...place.headers, 'mcp-session-id': sessionId, 'mcp-protocol-version': era };
  // The server may refuse this, or no longer exist.
  const signal = AbortSignal.timeout(NOTIFY_MS);
  const response = await fetch(place.url, { method: 'DELETE', headers, signal }).catch(() => undefined);
  await response?.body?.cancel().catch(() => undefined);
}

function toReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return `no answer over HTTP: ${code ?? message ?? String(cause)}`;
}
