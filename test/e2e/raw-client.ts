/** Clients that send exactly what they are told, so that nothing is hidden by an SDK. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '../shared-rig.ts';
import type { Site } from './site.ts';

export type Era = 'modern' | 'legacy';

export const COMBINATIONS = [
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
] as const;

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RawClient {
  readonly era: Era;
  /** Everything that came in and was not the answer to a request. */
  readonly others: readonly Message[];
  /** Sends a request; its answer. Rejects when the server goes away first. */
  request(method: string, params?: object): Promise<Message>;
  /** Sends a notification or the answer to a request of the server. */
  send(message: object): Promise<void>;
  /** Kills the server that this client talks to. */
  kill(): Promise<void>;
}

export interface RawStdio extends RawClient {
  /** Sends messages that the server reads all at once. */
  sendTogether(messages: readonly object[]): void;
  /** Closes stdin, and waits for the server to end. */
  end(): Promise<void>;
  /** The same after a last piece, which need be no whole message. */
  endWith(piece: string): Promise<void>;
}

const META = 'io.modelcontextprotocol/';
const VERSIONS = { modern: '2026-07-28', legacy: '2025-11-25' } as const;
const CAPABILITIES = { elicitation: { form: {} } };
const INFO = { name: 'raw', version: '1' };
const HANDSHAKE = { protocolVersion: VERSIONS.legacy, capabilities: CAPABILITIES, clientInfo: INFO };

const ENVELOPE = {
  [`${META}protocolVersion`]: VERSIONS.modern,
  [`${META}clientInfo`]: INFO,
  [`${META}clientCapabilities`]: { ...CAPABILITIES, extensions: { [`${META}tasks`]: {} } },
};

/** Makes a request of the modern era one of a client that knows no tasks. */
export const PLAIN_META = { [`${META}clientCapabilities`]: CAPABILITIES };

/** A client of a server process of its own. */
export async function connectRaw(site: Site, medium: 'stdio' | 'http', era: Era): Promise<RawClient> {
  if (medium === 'stdio') return openRawStdio(site, era);
  const { url, kill } = await site.serve();
  return openRawHttp(url, era, kill);
}

/** Spawns the site's server on stdio; a legacy client shakes hands unless told not to. */
export async function openRawStdio(
  site: Site,
  era: Era,
  { handshake = true, atEnd = onTestFinished }: { readonly handshake?: boolean; readonly atEnd?: AtEnd } = {},
): Promise<RawStdio> {
  const child = spawn(site.command.command, site.command.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const mail = new Mailbox();
  createInterface({ input: child.stdout }).on('line', (line) => mail.put(JSON.parse(line) as Message));
  child.stdin.on('error', () => {});
  void exit.then(() => mail.close());
  atEnd(async () => {
    child.stdin.end();
    await exit;
  });
  const send = async (message: object) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const client: RawStdio = {
    era,
    others: mail.others,
    send,
    sendTogether(messages) {
      child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    },
    async request(method, params) {
      const message = toRequest(era, method, params);
      await send(message);
      return mail.answer(message.id);
    },
    async end() {
      child.stdin.end();
      await exit;
    },
    async endWith(piece) {
      child.stdin.end(piece);
      await exit;
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
  if (era === 'legacy' && handshake) await shakeHands(client);
  return client;
}

export interface RawHttp extends RawClient {
  /** Opens the standing stream of a legacy session. */
  listen(): Promise<void>;
  /** The answer to a request that was sent under this id. */
  answer(id: string | number): Promise<Message>;
  /** The same client, which from now on talks to another server. */
  at(url: string): RawHttp;
}

/** Talks to a server over HTTP; a legacy client shakes hands. */
export async function openRawHttp(url: string, era: Era, kill: () => Promise<void>): Promise<RawHttp> {
  const http = new HttpLine(era);
  const client = toHttpClient(http, url, kill);
  if (era === 'legacy') await shakeHands(client);
  return client;
}

/** The same for a client that several tests share, until the signal fires. */
export async function openSharedHttp(url: string, era: Era, signal: AbortSignal): Promise<RawHttp> {
  const client = toHttpClient(new HttpLine(era, signal), url, async () => {});
  if (era === 'legacy') await shakeHands(client);
  return client;
}

function toHttpClient(http: HttpLine, url: string, kill: () => Promise<void>): RawHttp {
  return {
    era: http.era,
    others: http.mail.others,
    kill,
    send: (message) => http.post(url, message),
    async request(method, params) {
      const message = toRequest(http.era, method, params);
      await http.post(url, message);
      return http.mail.answer(message.id);
    },
    listen: () => http.listen(url),
    answer: (id) => http.mail.answer(id),
    at: (other) => toHttpClient(http, other, kill),
  };
}

async function shakeHands(client: RawClient): Promise<void> {
  await client.request('initialize', HANDSHAKE);
  await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

let lastId = 0;

function toRequest(era: Era, method: string, params: { readonly _meta?: object } = {}) {
  lastId += 1;
  const envelope = era === 'modern' ? { _meta: { ...ENVELOPE, ...params._meta } } : {};
  return { jsonrpc: '2.0', id: lastId, method, params: { ...params, ...envelope } };
}

/** Sorts what comes in: answers for those who wait for them, and the rest. */
class Mailbox {
  readonly others: Message[] = [];
  readonly #answers = new Map<unknown, Message>();
  #isClosed = false;

  put(message: Message): void {
    if (message.method === undefined && message.id !== undefined) this.#answers.set(message.id, message);
    else this.others.push(message);
  }

  close(): void {
    this.#isClosed = true;
  }

  async answer(id: string | number): Promise<Message> {
    const found = await until<Message | 'closed' | undefined>(
      () => this.#answers.get(id) ?? (this.#isClosed ? 'closed' : undefined),
      { what: `the answer to request ${id}`, timeoutMs: 60_000 },
    );
    if (found === 'closed') throw new Error(`the server went away before it answered request ${id}`);
    return found;
  }
}

/** What a client over HTTP keeps: its session, and what it has heard on its streams. */
class HttpLine {
  readonly era: Era;
  readonly mail = new Mailbox();
  readonly #signal: AbortSignal;
  #headers: Record<string, string> = {};

  constructor(era: Era, signal = untilTestFinished()) {
    this.era = era;
    this.#signal = signal;
  }

  async post(url: string, message: object): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(message),
      signal: this.#signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.era === 'modern' ? toModernHeaders(message) : this.#headers),
      },
    });
    const sessionId = response.headers.get('mcp-session-id');
    if (sessionId) this.#headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': VERSIONS.legacy };
    await this.#read(response);
  }

  async listen(url: string): Promise<void> {
    const headers = { ...this.#headers, accept: 'text/event-stream' };
    const response = await fetch(url, { headers, signal: this.#signal });
    if (!response.ok) throw new Error(`the standing stream was refused with ${response.status}`);
    // It ends with the test, or with its server.
    this.#read(response).catch(() => {});
  }

  async #read(response: Response): Promise<void> {
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const text = await response.text();
      if (text) this.mail.put(JSON.parse(text) as Message);
      return;
    }
    let rest = '';
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: {')) this.mail.put(JSON.parse(line.slice(6)) as Message);
    }
  }
}

function untilTestFinished(): AbortSignal {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  return closing.signal;
}

function toModernHeaders(message: object): Record<string, string> {
  type Named = { name?: string; taskId?: string; uri?: string };
  const { method = '', params = {} } = message as { method?: string; params?: Named };
  const name = params.name ?? params.taskId ?? params.uri;
  return {
    'mcp-protocol-version': VERSIONS.modern,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}
