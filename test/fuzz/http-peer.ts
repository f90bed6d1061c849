import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '../shared-rig.ts';
import {
  ACKNOWLEDGED,
  type Era,
  HANG_MS,
  INITIALIZE,
  isAnswer,
  isObject,
  type Outgoing,
  type Peer,
  type Seen,
  toDecline,
  toRequest,
  toRequestId,
  toText,
} from './peer.ts';
import { PROGRAM } from './stdio-peer.ts';

type Headers = { readonly [name: string]: string | undefined };

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A server of its own on HTTP, with its session when the era has one. */
export async function openHttpPeer(era: Era, dir: string, atEnd: AtEnd = onTestFinished): Promise<Peer> {
  const child = spawn(process.execPath, ['--expose-gc', PROGRAM, dir, 'http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  const died = gone.then(() => Promise.reject(new Error('the server did not start')));
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), died])) as [string];
  died.catch(() => {});
  let session: Headers = {};
  const post = async (text: string, headers: Headers, signal: AbortSignal) => {
    const given = Object.entries({ ...ACCEPT, ...headers }).filter(([, value]) => value !== undefined);
    return fetch(url, { method: 'POST', headers: Object.fromEntries(given) as never, body: text, signal });
  };
  const send = async ({ message, body = toText(message), headers }: Outgoing) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error('no answer')), HANG_MS);
    try {
      const own = era === 'modern' ? toHeaders(message) : session;
      const response = await post(body, { ...own, ...headers }, controller.signal);
      const seen = await readAll(response, (question) =>
        post(JSON.stringify(toDecline(question)), session, controller.signal).then((answer) => answer.text()),
      );
      const id = toRequestId(message);
      if (id !== undefined && !seen.some((one) => isAnswer(one, id) || one.id === null)) {
        throw new Error(`status ${response.status} and no answer: ${JSON.stringify(seen)}`);
      }
      return seen;
    } catch (cause) {
      throw new Error(`no answer to ${body.slice(0, 2000)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  };
  let count = 0;
  const call: Peer['call'] = async (method, params) => {
    const request = toRequest(era, { id: `call:${count++}`, method, ...(params && { params }) });
    const found = (await send({ message: request })).find((one) => isAnswer(one, request.id));
    if (!found?.result) throw new Error(`${method} failed: ${JSON.stringify(found)}`);
    return found.result;
  };
  if (era === 'legacy') {
    const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE };
    const response = await post(JSON.stringify(opening), {}, AbortSignal.timeout(HANG_MS));
    await response.text();
    session = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
  }
  return { era, transport: 'http', send, call };
}

/** The headers that belong to a message of 2026-07-28, as far as it has what they are made of. */
export function toHeaders(message: unknown): { [name: string]: string | undefined } {
  const { method, params } = (isObject(message) ? message : {}) as { method?: unknown; params?: unknown };
  const { name, uri, taskId } = (isObject(params) ? params : {}) as { [key: string]: unknown };
  const source = method === 'resources/read' ? uri : String(method).startsWith('tasks/') ? taskId : name;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': toHeader(method),
    'mcp-name': NAMED.has(method as string) ? toHeader(source) : undefined,
  };
}

const NAMED = new Set(['tools/call', 'prompts/get', 'resources/read', 'tasks/get', 'tasks/update', 'tasks/cancel']);

function toHeader(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** The messages of a response; of a subscription, which stays open, those up to its acknowledgement. */
async function readAll(response: Response, answer: (question: Seen) => Promise<unknown>): Promise<Seen[]> {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream');
  if (!isStream || !response.body) {
    const text = await response.text();
    return text === '' ? [] : [JSON.parse(text)].flat();
  }
  const seen: Seen[] = [];
  for await (const one of readFrames(response.body)) {
    seen.push(one);
    if (one.method !== undefined && one.id !== undefined) await answer(one);
    // Whoever leaves the loop closes the stream.
    if (one.method === ACKNOWLEDGED) break;
  }
  return seen;
}

async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Seen> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: ?(.+)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
