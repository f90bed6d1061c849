/**
 * One simulated client on the wire: performs its recorded handshake, sends requests, times out as recorded, and answers questions
 * as the client does. `play.ts` decides what to do with responses.
 */
import { isObject } from '../../is-object.ts';
import { type Message, type Result, readMessages } from '../wire/read-messages.ts';
import type { RecordedClient } from './recorded-clients.ts';
import type { PersonAnswer, Scene } from './scene.ts';

const META = 'io.modelcontextprotocol/';
const TASKS = `${META}tasks`;
const JOB_RESULT = 'notifications/tool_result';
// How long a program takes to answer a question, in ms.
const PROGRAM_MS = 50;

export interface Peer {
  readonly client: RecordedClient;
  readonly scene: Scene;
  /** The tools that its model sees. */
  readonly tools: readonly string[];
  /** How often the server asked it something with a request. */
  asked(): number;
  /** Sends a request; rejects with `GaveUp` when the client times out. */
  request(method: string, params: Result): Promise<Message>;
  /** Returns this client's answer to one question, in the form that the server sent. */
  answer(question: unknown): Promise<PersonAnswer>;
  /** Resolves with the result of a job, from its notification. */
  jobResult(jobId: string): Promise<Result>;
  /** Disconnects during a call, in the way this client does. */
  die(): Promise<void>;
  /** Closes all connections. */
  leave(): void;
}

export class GaveUp extends Error {}

/** A stream that is being read. */
interface Reading {
  readonly id: number;
  readonly signal: AbortSignal;
  onProgress(): void;
}

/** Performs the handshake, lists tools, and sends the client's other initial requests. */
export async function openPeer(scene: Scene, client: RecordedClient): Promise<Peer> {
  const connection = new PeerConnection(scene, client);
  await connection.open();
  const listed = await connection.request('tools/list', {});
  for (const method of client.asksUninvited ?? []) {
    const { error } = await connection.request(method, {});
    if (error) throw new Error(`${method} was refused: ${error.message}`);
  }
  const tools = ((listed.result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
  return Object.assign(connection, { tools });
}

class PeerConnection {
  readonly client: RecordedClient;
  readonly scene: Scene;
  readonly #dying = new AbortController();
  readonly #jobs = new Map<string, Job>();
  #session: Record<string, string> = {};
  #lastId = 0;
  #asked = 0;

  constructor(scene: Scene, client: RecordedClient) {
    this.scene = scene;
    this.client = client;
  }

  asked(): number {
    return this.#asked;
  }

  async open(): Promise<void> {
    const { era, protocolVersion, capabilities, clientInfo, tasks, takesJobs } = this.client;
    if (era === 'modern') {
      const { result } = await this.request('server/discover', {});
      if (result?.capabilities === undefined) throw new Error('server/discover told of no capabilities');
      return;
    }
    const response = await this.#post({
      id: 0,
      method: 'initialize',
      params: { protocolVersion, capabilities, clientInfo },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`initialize was answered with ${response.status}: ${text}`);
    this.#session = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': protocolVersion,
    };
    await this.#send({ method: 'notifications/initialized' });
    if (tasks === 'tasks-2025' || takesJobs === true) this.#listen();
  }

  async request(method: string, params: Result): Promise<Message> {
    const id = ++this.#lastId;
    const leaving = new AbortController();
    const patience = this.#wind(method, () => {
      const reason = this.client.cancelsWith;
      if (reason !== undefined) void this.#cancel(id, reason).catch(() => {});
      leaving.abort(new GaveUp(`${this.client.name} gave up on ${method}`));
    });
    const signal = AbortSignal.any([leaving.signal, this.#dying.signal]);
    try {
      const response = await this.#post({ id, method, params }, signal);
      return await this.#read(response, { id, signal, onProgress: patience.rewind });
    } catch (error) {
      // If the client has left, reports that instead of the error it caused.
      signal.throwIfAborted();
      throw error;
    } finally {
      patience.stop();
    }
  }

  async answer(question: unknown): Promise<PersonAnswer> {
    const { answers = 'cancel' } = this.client;
    const { params } = isObject(question) ? question : {};
    const { message = '', requestedSchema: schema } = isObject(params) ? params : {};
    if (answers === 'person') return this.scene.askPerson({ message: String(message), schema });
    await this.scene.clock.elapse(PROGRAM_MS);
    return { action: answers };
  }

  jobResult(jobId: string): Promise<Result> {
    return this.#jobOf(jobId).promise;
  }

  async die(): Promise<void> {
    const { diesWith } = this.client;
    if (diesWith !== undefined) await this.#cancel(this.#lastId, diesWith);
    this.leave();
  }

  leave(): void {
    const reason = new GaveUp(`${this.client.name} is dead`);
    this.#dying.abort(reason);
    for (const job of this.#jobs.values()) job.reject(reason);
  }

  /** Starts the timeout of a call. */
  #wind(method: string, onLate: () => void) {
    const { giveUpMs, progressResets } = this.client;
    const start = () =>
      giveUpMs === null || method !== 'tools/call' ? () => {} : this.scene.clock.after(giveUpMs, onLate);
    let stop = start();
    const rewind = () => {
      if (!progressResets) return;
      stop();
      stop = start();
    };
    return { rewind, stop: () => stop() };
  }

  /** In the modern era, closing the stream is the cancel. */
  async #cancel(requestId: number, reason: string): Promise<void> {
    if (this.client.era === 'modern') return;
    await this.#send({ method: 'notifications/cancelled', params: { requestId, reason } });
  }

  #listen(): void {
    const headers = { accept: 'text/event-stream', ...this.scene.headers, ...this.#session };
    const { signal } = this.#dying;
    const opening = this.scene.fetch(this.scene.url, { headers, signal });
    opening.then((response) => this.#read(response, { id: -1, signal, onProgress() {} })).catch(() => {});
  }

  /** Sends a message that gets no response. */
  async #send(message: Pick<Sent, 'id' | 'method' | 'params' | 'result'>): Promise<void> {
    await (await this.#post(message)).text();
  }

  async #post(message: Sent, signal?: AbortSignal): Promise<Response> {
    const { method = '', params } = message;
    const body = this.client.era === 'modern' ? { ...message, params: this.#withEnvelope(params) } : message;
    return this.scene.fetch(this.scene.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.scene.headers,
        ...(this.client.era === 'modern' ? toHeads(method, params) : this.#session),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      ...(signal && { signal }),
    });
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

  /** Handles all messages of one stream until the response. */
  async #read(response: Response, { id, signal, onProgress }: Reading): Promise<Message> {
    for await (const message of readMessages(response, signal)) {
      if (message.method === 'notifications/progress') onProgress();
      else if (message.method === 'elicitation/create') void this.#answerRequest(message).catch(() => {});
      else if (message.method === JOB_RESULT) this.#settleJob(message.params);
      else if (message.method === undefined) return message;
    }
    throw new Error(`the stream of request ${id} ended without an answer`);
  }

  async #answerRequest(message: Message): Promise<void> {
    this.#asked += 1;
    const result = await this.answer(message);
    await this.#send({ ...(message.id !== undefined && { id: message.id }), result });
  }

  #settleJob({ job_id: jobId, result }: Result = {}): void {
    if (typeof jobId === 'string' && isObject(result)) this.#jobOf(jobId).resolve(result);
  }

  /** The result may arrive before the client waits for it. */
  #jobOf(jobId: string): Job {
    const job = this.#jobs.get(jobId) ?? openJob();
    this.#jobs.set(jobId, job);
    return job;
  }
}

interface Job {
  readonly promise: Promise<Result>;
  resolve(result: Result): void;
  reject(reason: Error): void;
}

function openJob(): Job {
  let settle: Pick<Job, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Result>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Avoids an unhandled rejection when the client dies while nothing waits for the job.
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Pick<Job, 'resolve' | 'reject'>) };
}

interface Sent {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Result;
  readonly result?: Result;
}

function toHeads(method: string, params: Result = {}): Record<string, string> {
  const name = params.name ?? params.taskId;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': toHeaderText(name) }),
  };
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */
function toHeaderText(text: string): string {
  return PLAIN.test(text) ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
