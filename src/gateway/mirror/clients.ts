import type { HostQuestion, JsonObject } from '../../host/index.ts';
import { isWorker, type RelayClient, TaskError } from '../../index.ts';

/** The capability that a client needs to answer a question. */
const NEEDED = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const;

/**
 * How long to wait for the first client: an upstream may ask for roots right after its handshake, before the client's own
 * handshake.
 */
const FIRST_CLIENT_MS = 10_000;

/** The connected clients, which can be asked questions outside of any call. */
export class Clients {
  readonly #open = new Set<RelayClient>();
  readonly #onOpened = new Set<() => void>();
  #hasBeenOpen = false;

  add(client: RelayClient): void {
    this.#open.add(client);
    this.#hasBeenOpen = true;
    for (const listener of [...this.#onOpened]) listener();
  }

  delete(client: RelayClient): void {
    this.#open.delete(client);
  }

  /** Whether all connected clients belong to one principal; only then may messages of unknown owner be sent to a client. */
  get haveOnePrincipal(): boolean {
    return new Set([...this.#open].map(({ principal }) => principal)).size <= 1;
  }

  /** Asks the newest client that can answer; where there is none, the upstream gets an answer that says so. */
  async answer({ method, params = {}, server, signal }: HostQuestion): Promise<JsonObject> {
    // A worker never has clients.
    if (!this.#hasBeenOpen && !isWorker) await this.#firstClient(signal);
    const needed = NEEDED[method];
    const able = this.haveOnePrincipal ? [...this.#open] : [];
    const client = able.findLast((one) => one.capabilities[needed] !== undefined);
    if (client?.request) return (await client.request(method, params, signal)) as JsonObject;
    if (method === 'roots/list') return { roots: [] };
    if (method === 'elicitation/create') return { action: 'cancel' };
    throw new TaskError('INVALID_ARGUMENT', `no client of the gateway can answer ${method} of upstream ${server}`);
  }

  #firstClient(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#onOpened.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, FIRST_CLIENT_MS);
      timer.unref();
      this.#onOpened.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
