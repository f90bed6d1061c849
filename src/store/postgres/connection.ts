/**
 * Access to the database: one small pool, and statements whose `@` names are replaced by those of the store's schema.
 *
 * A connection that breaks while it is acquired must have an `error` listener, or the driver's event ends the process.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { TaskError } from '../../errors.ts';
import { ownUrl } from '../../own-url.ts';
import { checkText } from '../../sqlite/database.ts';
import { toStoreError } from './failure.ts';
import type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresStoreOptions,
} from './postgres-options.ts';

/** Two for writes, one for reads. With LISTEN and the heartbeat thread there are five connections. */
const POOL_SIZE = 3;
const CONNECT_MS = 5000;
/** Longer than the server's own statement timeout, so that it only cuts dead connections. */
const QUERY_MS = 12_000;
const INT8 = 20;
// Planning a claim costs more than the claim itself, so one generic plan must suit tables of any size. JIT compilation costs
// many times what it saves here, and PostgreSQL considers these statements expensive enough to compile.
const PLANS = 'SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off';

interface PgModule {
  readonly Pool: new (
    config: Record<string, unknown>,
  ) => PostgresPool & { on(event: 'error' | 'connect', listener: (client: PostgresClient) => void): unknown };
  readonly types: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
}

/** The text and values of a query. */
export interface QueryInput {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** All connections of a store. */
export class Connection {
  /** The address of the database, without a password; for errors. */
  readonly place: string;
  readonly schema: string;
  readonly #pool: PostgresPool;
  readonly #ownsPool: boolean;
  readonly #isPreparing: boolean;
  readonly #types: object;
  readonly #queries = new Map<string, { readonly text: string; readonly name?: string }>();

  constructor(pool: PostgresPool, options: PostgresStoreOptions, pg: PgModule) {
    this.schema = options.schema ?? 'holdfast';
    this.place = toPlace(options.url, this.schema);
    this.#pool = pool;
    this.#ownsPool = options.pool === undefined;
    this.#isPreparing = options.prepare ?? true;
    this.#types = {
      getTypeParser: (oid: number, format?: string) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    };
  }

  /** Acquires a connection; the caller must release it, broken or not. */
  async acquire(): Promise<Session> {
    const client = await this.#pool.connect();
    return new Session(client, (input) => this.toQuery(input));
  }

  /** Runs a single read on a connection of its own. */
  async read<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    const session = await this.acquire();
    try {
      const rows = await session.rows<Row>(text, ...values);
      session.release();
      return rows;
    } catch (error) {
      session.release(error);
      throw error;
    }
  }

  toQuery({ text, values }: QueryInput): PostgresQuery {
    let query = this.#queries.get(text);
    if (query === undefined) {
      const named = text.replaceAll(/@(?=[a-z])/g, `${this.schema}.`);
      const name = `hf_${createHash('sha256').update(named).digest('hex').slice(0, 24)}`;
      query = values === undefined || !this.#isPreparing ? { text: named } : { text: named, name };
      this.#queries.set(text, query);
    }
    for (const value of values ?? []) checkValue(value);
    return { ...query, ...(values && { values: [...values] }), types: this.#types } as PostgresQuery;
  }

  async close(): Promise<void> {
    if (this.#ownsPool) await this.#pool.end();
  }
}

/** Half of a surrogate pair would be replaced in transit, so that two names could become one. */
function checkValue(value: unknown): void {
  if (typeof value === 'string') checkText(value);
  else if (Array.isArray(value)) for (const one of value) checkValue(one);
}

/** The socket of a connection, if the driver exposes it. */
interface CorkableStream {
  cork?(): void;
  uncork?(): void;
}

/** One connection, until it is released. */
export class Session {
  readonly client: PostgresClient;
  readonly #toQuery: (input: QueryInput) => PostgresQuery;
  #isAcquired = true;
  #last: Promise<unknown> = Promise.resolve();
  readonly #ignore = () => {};

  constructor(client: PostgresClient, toQuery: (input: QueryInput) => PostgresQuery) {
    this.client = client;
    this.#toQuery = toQuery;
    client.on('error', this.#ignore);
  }

  query(text: string, ...values: unknown[]): Promise<PostgresResult> {
    return this.#send(this.#toQuery({ text, values }));
  }

  /** Runs several statements at once, without values. */
  script(text: string): Promise<PostgresResult | PostgresResult[]> {
    return this.#send(this.#toQuery({ text }));
  }

  /**
   * Sends everything that `run` queries as one packet: for PostgreSQL and the network, ten statements then cost little more
   * than one.
   */
  pipeline<T>(run: () => T): T {
    const { stream } = (this.client as { readonly connection?: { readonly stream?: CorkableStream } }).connection ?? {};
    stream?.cork?.();
    try {
      return run();
    } finally {
      stream?.uncork?.();
    }
  }

  // A client without pipelining warns about statements queued inside it, so here they are queued outside.
  #send(query: PostgresQuery): Promise<PostgresResult> {
    if (this.client.pipeline === true) return this.client.query(query);
    const sent = this.#last.then(() => this.client.query(query));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async rows<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.query(text, ...values)).rows as Row[];
  }

  /** Returns the connection to the pool; with an error it is not used again. */
  release(error?: unknown): void {
    if (!this.#isAcquired) return;
    this.#isAcquired = false;
    this.client.removeListener('error', this.#ignore);
    this.client.release(error !== undefined);
  }
}

/** Creates the pool. Nothing is connected yet. */
export async function openConnection(options: PostgresStoreOptions): Promise<Connection> {
  const pg = await loadPg();
  return new Connection(options.pool ?? toPool(pg, options.url ?? '', POOL_SIZE), options, pg);
}

/** Creates a pool of our own; LISTEN and the heartbeat thread use one too, with one connection each. */
export function toPool(pg: PgModule, url: string, max: number): PostgresPool {
  const pool = new pg.Pool({
    ...{ connectionString: url, max, pipeline: true, application_name: 'holdfast', keepAlive: true },
    ...{ connectionTimeoutMillis: CONNECT_MS, query_timeout: QUERY_MS, idleTimeoutMillis: 30_000 },
    allowExitOnIdle: true,
  });
  // The server may drop idle connections: a new one is opened when it is needed.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.query({ text: PLANS }).catch(() => {}));
  return pool;
}

/**
 * Loads the driver, an optional peer dependency. It is required in a way that bundlers do not follow, because most programs
 * do not have it.
 */
export async function loadPg(): Promise<PgModule> {
  try {
    return createRequire(ownUrl)('pg') as PgModule;
  } catch (error) {
    const message = 'A PostgreSQL store needs the package pg, which is not installed; run: npm install pg';
    throw new TaskError('STORE_FAILED', message, { cause: error });
  }
}

/** Runs a function that opens the store, and converts its failures to `TaskError`s. */
export async function withStoreErrors<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toStoreError(error, place);
  }
}

function toPlace(url: string | undefined, schema: string): string {
  if (url === undefined) return `PostgreSQL (schema ${schema})`;
  const { hostname, port, pathname } = new URL(url);
  return `PostgreSQL at ${hostname || 'the local socket'}${port && `:${port}`}${pathname} (schema ${schema})`;
}
