import type { PostgresPool } from 'holdfast/postgres';
import { Pool, type PoolClient } from 'pg';

/** A pool that counts what is sent through it. */
export class CountedPool implements PostgresPool {
  readonly #pool: Pool;
  #texts: string[] = [];

  constructor(url: string) {
    this.#pool = new Pool({ connectionString: url, max: 4, pipeline: true } as object);
    this.#pool.on('error', () => {});
  }

  async connect() {
    const client = await this.#pool.connect();
    return new Proxy(client, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target);
        return (query: Parameters<PoolClient['query']>[0] & { readonly text: string }) => {
          this.#texts.push(query.text);
          return value.call(target, query);
        };
      },
    }) as unknown as Awaited<ReturnType<PostgresPool['connect']>>;
  }

  end = () => this.#pool.end();

  /** Forgets what was sent so far. */
  reset(): void {
    this.#texts = [];
  }

  /** How many statements were sent, or of one kind. */
  count(what: RegExp = /./): number {
    return this.#texts.filter((text) => what.test(text)).length;
  }
}
