import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import type { PostgresStoreOptions } from '../../../src/store/postgres/postgres-options.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { type Cluster, findCluster } from './cluster.ts';

/** Fresh schemas in the cluster of the run, and stores in them that are closed afterwards. */
export class PostgresScratch {
  #cluster: Cluster | undefined;
  #shared: Pool | undefined;
  readonly #opened: Store[] = [];
  readonly #used: string[] = [];

  constructor() {
    beforeAll(async () => {
      this.#cluster = await findCluster();
    });
    afterAll(async () => {
      await Promise.all(this.#opened.splice(0).map((store) => store.close()));
      await this.#shared?.end();
    });
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('the cluster is not there yet');
    return this.#cluster;
  }

  toSchema(): string {
    return `s_${randomBytes(8).toString('hex')}`;
  }

  /**
   * As `open`, in a schema that another test has done with, over connections that others have used: making these anew costs
   * more than most tests.
   */
  async openEmpty(options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    this.#shared ??= new Pool({ connectionString: this.cluster.url(), max: 10 });
    const used = this.#used.pop();
    const schema = used ?? this.toSchema();
    if (used !== undefined) await this.#empty(this.#shared, used);
    const place = options.url === undefined ? { pool: this.#shared } : {};
    const store = await openPostgresStore({ schema, ...place, ...options });
    const close = store.close.bind(store);
    return Object.assign(store, {
      close: async () => {
        await close();
        this.#used.push(schema);
      },
    });
  }

  async #empty(pool: Pool, schema: string): Promise<void> {
    const tables = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname <> 'store' AND relnamespace = to_regnamespace($1)`,
      [schema],
    );
    const deletes = tables.rows.map(({ name }) => `DELETE FROM ${schema}.${name}`);
    await pool.query([...deletes, `UPDATE ${schema}.store SET at = NULL`].join(';'));
  }

  /** Holds tasks of a schema by a transaction of somebody else. */
  toHoldTask(schema: string) {
    return async (taskId: string) => {
      const client = new Client({ connectionString: this.cluster.url() });
      await client.connect();
      await client.query('BEGIN');
      await client.query(`SELECT 1 FROM ${schema}.task WHERE id = $1 FOR UPDATE`, [taskId]);
      return () => client.end();
    };
  }

  async open(options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const { pool, ...others } = options;
    const place = pool === undefined ? { url: this.cluster.url() } : { pool };
    const store = await openPostgresStore({ schema: this.toSchema(), ...place, ...others });
    this.#opened.push(store);
    return store;
  }
}
