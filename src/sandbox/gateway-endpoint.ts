import { randomBytes } from 'node:crypto';
import { TaskError } from '../errors.ts';
import type { Gateway } from '../gateway/index.ts';
import type { HttpSpec } from '../host/index.ts';
import type { Listening } from '../index.ts';

/** The HTTP endpoint of a sandbox's gateway; clients reach it with a `fetch` of their own. */
export class GatewayEndpoint {
  readonly #gateway: Gateway;
  #listening: Listening | undefined;
  #isClosed = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Starts listening; never returns in a worker. */
  async open(): Promise<void> {
    this.#listening = await this.#gateway.listen({ port: 0, token: makeToken() });
    // A listener that starts after `close` would keep the process alive.
    if (this.#isClosed) await this.#listening.close();
  }

  toSpec(fetch: NonNullable<HttpSpec['fetch']>): HttpSpec {
    if (!this.#listening) throw new TaskError('CONNECT_FAILED', 'the gateway is still starting; try again in a moment');
    const { url, token } = this.#listening;
    return { url, headers: { authorization: `Bearer ${token}` }, fetch };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listening?.close();
    await this.#gateway.close();
  }
}

function makeToken(): string {
  return randomBytes(24).toString('base64url');
}
