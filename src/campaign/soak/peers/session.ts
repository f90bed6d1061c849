import type { Answer, Connection, Era, JsonObject } from './connection.ts';

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const CLIENT = { name: 'holdfast-soak', version: '1' };
const META = 'io.modelcontextprotocol';

interface Framed {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly capabilities: JsonObject;
}

/** A client of one era on a connection; adds what every request of that era requires. */
export class Session {
  readonly connection: Connection;
  readonly era: Era;
  readonly #timeoutMs: number;

  constructor(connection: Connection, options: { readonly era: Era; readonly timeoutMs: number }) {
    this.connection = connection;
    this.era = options.era;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Performs the handshake of the era; the response says whether the server speaks it. */
  async open(): Promise<Answer> {
    if (this.era === '2026-07-28') return this.send('init-1', 'server/discover');
    const params = { protocolVersion: this.era, capabilities: {}, clientInfo: CLIENT };
    const answer = await this.send('init-1', 'initialize', params);
    if (answer.kind === 'result') await this.connection.notify('notifications/initialized', {});
    return answer;
  }

  /** Checks that the server responds. */
  ping(id: string): Promise<Answer> {
    return this.send(id, this.era === '2026-07-28' ? 'server/discover' : 'ping');
  }

  send(id: string, method: string, params: JsonObject = {}): Promise<Answer> {
    return this.#request({ id, method, params, capabilities: {} });
  }

  /** Sends a request that may be answered with a task, or is about one. */
  sendWithTasks(id: string, method: string, params: JsonObject): Promise<Answer> {
    return this.#request({ id, method, params, capabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
  }

  #request({ id, method, params, capabilities }: Framed): Promise<Answer> {
    const timeoutMs = this.#timeoutMs;
    if (this.era === '2025-11-25') return this.connection.request({ id, method, params, timeoutMs });
    const _meta = {
      [`${META}/protocolVersion`]: this.era,
      [`${META}/clientInfo`]: CLIENT,
      [`${META}/clientCapabilities`]: capabilities,
    };
    return this.connection.request({ id, method, params: { ...params, _meta }, timeoutMs });
  }
}
