/**
 * One client on the wire: it shakes hands as it was recorded to, sends requests, gives up on them in its time, and answers
 * what it is asked as it does. What becomes of an answer is the affair of whoever plays it.
 */
import { expect } from 'vitest';
import type { RecordedClient } from './recorded.ts';
import type { Stage } from './stage.ts';

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

export type Result = Readonly<Record<string, unknown>>;
type Params = Readonly<Record<string, unknown>>;

const URL_ = 'http://localhost/mcp';
const META = 'io.modelcontextprotocol/';
const TASKS = `${META}tasks`;
// Between a question and the answer of a program; of a person.
const PROGRAM_MS = 50;
const PERSON_MS = 20_000;

export interface Peer {
  readonly client: RecordedClient;
  readonly stage: Stage;
  /** The tools that its model is shown. */
  readonly tools: readonly string[];
  /** How often it was asked something by a request of the server's. */
  asked(): number;
  /** Sends a request; rejects with `GaveUp` when the client has lost its patience. */
  request(method: string, params: Params): Promise<Message>;
  /** The answer of this client to one question. */
  answer(): Promise<Result>;
  /** Goes away, as this client does. */
  die(): Promise<void>;
}

export class GaveUp extends Error {}

/** Shakes hands, lists tools, and asks whatever else the client asks at the beginning. */
export async function openPeer(stage: Stage, client: RecordedClient): Promise<Peer> {
  const line = new PeerLine(stage, client);
  await line.open();
  const listed = await line.request('tools/list', {});
  for (const method of client.asksUninvited ?? []) {
    expect((await line.request(method, {})).error, method).toBeUndefined();
  }
  const tools = (listed.result?.tools as { name: string }[]).map(({ name }) => name);
  return Object.assign(line, { tools });
}

class PeerLine {
  readonly client: RecordedClient;
  readonly stage: Stage;
  readonly #dying = new AbortController();
  #session: Record<string, string> = {};
  #lastId = 0;
  #asked = 0;

  constructor(stage: Stage, client: RecordedClient) {
    this.stage = stage;
    this.client = client;
  }

  asked(): number {
    return this.#asked;
  }

  async open(): Promise<void> {
    const { era, protocolVersion, capabilities, clientInfo, tasks } = this.client;
    if (era === 'modern') {
      expect((await this.request('server/discover', {})).result?.capabilities).toBeDefined();
      return;
    }
    const response = await this.#post({ id: 0, method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
    expect(response.status).toBe(200);
    await response.text();
    this.#session = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': protocolVersion,
    };
    await this.#post({ method: 'notifications/initialized' });
    if (tasks === 'tasks-2025') this.#listen();
  }

  async request(method: string, params: Params): Promise<Message> {
    const id = ++this.#lastId;
    const leaving = new AbortController();
    const patience = this.#wind(method, () => {
      const reason = this.client.cancelsWith;
      if (reason !== undefined) void this.#cancel(id, reason);
      leaving.abort(new GaveUp(`${this.client.name} gave up on ${method}`));
    });
    const signal = AbortSignal.any([leaving.signal, this.#dying.signal]);
    try {
      const response = await this.#post({ id, method, params }, signal);
      return await this.#read(response, { id, signal, onProgress: patience.rewind });
    } finally {
      patience.stop();
    }
  }

  async answer(): Promise<Result> {
    const { answers } = this.client;
    await this.stage.clock.elapse(answers === 'person' ? PERSON_MS : PROGRAM_MS);
    return answers === 'person' ? { action: 'accept', content: { sure: true } } : { action: answers };
  }

  async die(): Promise<void> {
    const { diesWith } = this.client;
    if (diesWith !== undefined) await this.#cancel(this.#lastId, diesWith);
    this.#dying.abort(new GaveUp(`${this.client.name} is dead`));
  }

  /** The clock of a call. */
  #wind(method: string, onLate: () => void) {
    const { giveUpMs, progressResets } = this.client;
    const start = () =>
      giveUpMs === null || method !== 'tools/call' ? () => {} : this.stage.clock.after(giveUpMs, onLate);
    let stop = start();
    const rewind = () => {
      if (!progressResets) return;
      stop();
      stop = start();
    };
    return { rewind, stop: () => stop() };
  }

  /** In the modern era a closed stream says it all. */
  async #cancel(requestId: number, reason: string): Promise<void> {
    if (this.client.era === 'modern') return;
    await this.#post({ method: 'notifications/cancelled', params: { requestId, reason } });
  }

  #listen(): void {
    const headers = { accept: 'text/event-stream', host: 'localhost', ...this.#session };
    const { signal } = this.#dying;
    const opening = this.stage.fetch(new Request(URL_, { headers, signal }));
    opening.then((response) => this.#read(response, { id: -1, signal, onProgress() {} })).catch(() => {});
  }

  async #post(message: { id?: number | string; method?: string; params?: Params; result?: Result }, signal?: AbortSignal) {
    const { method = '', params } = message;
    const body = this.client.era === 'modern' ? { ...message, params: this.#withEnvelope(params) } : message;
    const request = new Request(URL_, {
      method: 'POST',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.client.era === 'modern' ? toHeads(method, params) : this.#session),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      ...(signal && { signal }),
    });
    return this.stage.fetch(request);
  }

  #withEnvelope(params: Params = {}): Params {
    const { clientInfo, capabilities, protocolVersion, tasks } = this.client;
    const extensions = { ...capabilities.extensions, ...(tasks === 'tasks-2026' && { [TASKS]: {} }) };
    const _meta = {
      ...(params._meta as object | undefined),
      [`${META}protocolVersion`]: protocolVersion,
      [`${META}clientInfo`]: clientInfo,
      [`${META}clientCapabilities`]: { ...capabilities, extensions },
    };
    return { ...params, _meta };
  }

  /** Everything that comes on one stream, until the answer. */
  async #read(response: Response, on: { id: number; signal: AbortSignal; onProgress(): void }): Promise<Message> {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return JSON.parse(await response.text()) as Message;
    }
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    on.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      on.signal.throwIfAborted();
      if (done) throw new Error(`the stream of request ${on.id} ended without an answer`);
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((one) => one.startsWith('data: {'))) {
        const message = JSON.parse(line.slice(6)) as Message;
        if (message.id === on.id && message.method === undefined) return message;
        if (message.method === 'notifications/progress') on.onProgress();
        if (message.method === 'elicitation/create') void this.#answerRequest(message);
      }
    }
  }

  async #answerRequest({ id }: Message): Promise<void> {
    this.#asked += 1;
    await this.#post({ id: id as string, result: await this.answer() });
  }
}

function toHeads(method: string, params: Params = {}): Record<string, string> {
  const name = params.name ?? params.taskId;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}
