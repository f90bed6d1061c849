/**
 * An HTTP client without tasks or an SDK: it makes plain calls, and repeats a call when there is no response. Whatever was lost
 * in transit, the body of a tool that may not be repeated must start only once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type DeliveredOutcome, type Journal, steadyNow } from '../../../apps/chaos/journal.ts';
import type { Poison } from '../fault.ts';

export interface PlainCall {
  readonly callId: string;
  readonly tool: string;
  readonly repeatable: boolean;
  readonly ms: number;
  readonly poison?: Poison;
}

export interface PlainClientOptions {
  readonly url: () => string;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

interface RpcMessage {
  readonly id?: unknown;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

const META = 'io.modelcontextprotocol/';
const VERSION = '2026-07-28';
const ANSWER_MS = 30_000;
const RETRY_MS = 250;

/** Makes a call until it has an outcome, or until the signal aborts. */
export async function callPlainly(call: PlainCall, { url, journal, signal }: PlainClientOptions): Promise<void> {
  const { callId, tool, repeatable, poison } = call;
  journal.write({ kind: 'asked', callId, tool, repeatable, ...(poison && { poison }) });
  for (let id = 1; !signal.aborted; id++) {
    const message = await send(url(), toRequest(call, id), signal).catch(() => undefined);
    const at = steadyNow();
    const told = message && toOutcome(message, call);
    if (told) return journal.write({ kind: 'delivered', callId, told }, at);
    await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function toRequest({ callId, tool, ms }: PlainCall, id: number) {
  const envelope = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'chaos-client', version: '1' },
    [`${META}clientCapabilities`]: {},
  };
  const params = { name: tool, arguments: { callId, ms }, _meta: envelope };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

async function send(url: string, message: ReturnType<typeof toRequest>, signal: AbortSignal): Promise<RpcMessage> {
  // A combined signal may be garbage-collected before it fires (Node 20), and the call would wait for ever.
  const waiting = new AbortController();
  const giveUp = () => waiting.abort();
  const timer = setTimeout(giveUp, ANSWER_MS);
  signal.addEventListener('abort', giveUp);
  try {
    return await post(url, message, waiting.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

async function post(url: string, message: ReturnType<typeof toRequest>, signal: AbortSignal): Promise<RpcMessage> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(message),
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': message.method,
      'mcp-name': message.params.name,
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`refused with ${response.status}`);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const bodies = isStream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    : [text];
  const answer = bodies.map((body) => JSON.parse(body) as RpcMessage).find(({ id }) => id === message.id);
  if (!answer) throw new Error('the stream ended without an answer');
  return answer;
}

/** Returns how the call ended; undefined when it has not: refused for now, or only handed over. */
function toOutcome({ result, error }: RpcMessage, { callId, poison }: PlainCall): DeliveredOutcome | undefined {
  // A second text block only says that the result is that of an earlier call.
  const text = result?.content?.[0]?.text ?? error?.message ?? '';
  if (/^Interrupted/i.test(text)) return { kind: 'interrupted', text };
  if (poison !== undefined) return { kind: error || result?.isError ? 'error' : 'result', text: text.slice(0, 200) };
  if (result && !result.isError && text === `done ${callId}`) return { kind: 'result', text: JSON.stringify(result) };
  return undefined;
}
