/**
 * One client on the wire: it shakes hands as it was recorded to, sends requests, gives up on them in its time, and answers
 * what it is asked as it does. What becomes of an answer is the affair of whoever plays it.
 */
import { expect } from 'vitest';
import { type Message, type Result, readMessages } from './read-messages.ts';
import type { RecordedClient } from './recorded.ts';
import type { Stage } from './stage.ts';

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
  request(method: string, params: Result): Promise<Message>;
  /** The answer of this client to one question. */
  answer(): Promise<Result>;
  /** Goes away, as this client does. */
  die(): Promise<void>;
}

export class GaveUp extends Error {}

/** One stream that is being read. */
interface Reading {
  readonly id: number;
  readonly signal: AbortSignal;
  onProgress(): void;
}

/** Shakes hands, lists tools, and asks whatever else the client asks at the beginning. */
export async function openPeer(stage: Stage, client: RecordedClient): Promise<Peer> {
  const line = new PeerLine(stage, client);
  await line.open();
  const listed = await line.request('tools/list', {});
  for (const method of client.asksUninvited ?? []) {
    expect((await line.request(method, {})).error, method).toBeUndefined();
  }
  const tools = ((listed.result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
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
    const response = await this.#post({
      id: 0,
      method: 'initialize',
      params: { protocolVersion, capabilities, clientInfo },
    });
    expect(response.status).toBe(200);
    await response.text();
    this.#session = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': protocolVersion,
    };
    await this.#post({ method: 'notifications/initialized' });
    if (tasks === 'tasks-2025') this.#listen();
  }

  async request(method: string, params: Result): Promise<Message> {
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

  async #post(
    message: { id?: number | string; method?: string; params?: Result; result?: Result },
    signal?: AbortSignal,
  ) {
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

  #withEnvelope(params: Result = {}): Result {
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

  /** Takes everything that comes on one stream, until the answer. */
  async #read(response: Response, { id, signal, onProgress }: Reading): Promise<Message> {
    for await (const message of readMessages(response, signal)) {
      if (message.method === 'notifications/progress') onProgress();
      else if (message.method === 'elicitation/create') void this.#answerRequest(message);
      else if (message.method === undefined) return message;
    }
    throw new Error(`the stream of request ${id} ended without an answer`);
  }

  async #answerRequest({ id }: Message): Promise<void> {
    this.#asked += 1;
    await this.#post({ id: id as string, result: await this.answer() });
  }
}

function toHeads(method: string, params: Result = {}): Record<string, string> {
  const name = params.name ?? params.taskId;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}
