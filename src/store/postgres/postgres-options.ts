import type { Clock } from '../../clock.ts';
import type { PayloadCodec } from '../../codec/codec.ts';
import { TaskError } from '../../errors.ts';
import { invalidField, refuseUnknownFields } from '../../invalid-field.ts';
import { isText } from '../../sqlite/database.ts';

/** A connection lent by a pool, with the interface of `pg`. */
export interface PostgresClient {
  /** Whether it sends statements without waiting for the responses to earlier ones. */
  readonly pipeline?: boolean;
  query(config: PostgresQuery): Promise<PostgresResult>;
  release(destroy?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'notification', listener: (message: { channel: string; payload?: string | undefined }) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** A query, as passed to a connection. */
export interface PostgresQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

/** The result of a query. */
export interface PostgresResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
  readonly command: string;
}

/** The part of the `Pool` of `pg` that a store needs. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

/** Which database a store is in, and how it is used. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. The password may come from `PGPASSWORD` or a `.pgpass` instead. */
  readonly url?: string;
  /** Instead of a URL: a pool of `pg`, which the store does not close. One of its connections is kept for LISTEN. */
  readonly pool?: PostgresPool;
  /** The URL for LISTEN, needed when `url` is that of a pooler in transaction mode. @default `url` */
  readonly listenUrl?: string;
  /** The schema for the tables; created when it is missing. @default 'holdfast' */
  readonly schema?: string;
  /**
   * The name of the store's owner. The first process to open it with a name sets it; from then on any other name is
   * rejected, so that a wrong address does not lead to another owner's tasks.
   * @default no owner is checked
   */
  readonly name?: string;
  /** Encodes all payloads. @default payloads are stored in plain text */
  readonly codec?: PayloadCodec;
  /** Whether statements are prepared; turn it off for poolers that do not support it. @default true */
  readonly prepare?: boolean;
  /** Whether missing tables are created and older ones migrated. @default true */
  readonly migrate?: boolean;
  /** How long a verb is retried while the database cannot be reached. @default 10_000 */
  readonly patienceMs?: number;
  /** A directory of this machine for worker logs. @default no logs are kept */
  readonly directory?: string;
  /** Replaces the database's clock; for tests. */
  readonly clock?: Clock;
  /** Receives errors of background work that no caller awaits. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}

type Rule = readonly [expected: string, isValid: (value: unknown) => boolean];

const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean'];
const FUNCTION: Rule = ['a function', (value) => typeof value === 'function'];
const URL_RULE: Rule = ['a text such as postgres://user@host:5432/database', isPostgresUrl];

const RULES: Readonly<Record<keyof PostgresStoreOptions, Rule>> = {
  url: URL_RULE,
  listenUrl: URL_RULE,
  pool: ['a pool of pg', (value) => typeof (value as Partial<PostgresPool> | null)?.connect === 'function'],
  schema: ['a name of 1 to 40 of the characters a-z, 0-9 and _, beginning with a letter', isSchemaName],
  name: ['a text of 1 to 200 characters', isStoreName],
  codec: ['a codec', (value) => typeof value === 'object' && value !== null],
  prepare: FLAG,
  migrate: FLAG,
  patienceMs: ['a number from 0 up', (value) => typeof value === 'number' && value >= 0],
  directory: ['a path', (value) => typeof value === 'string' && value !== ''],
  clock: ['a clock', (value) => typeof (value as Partial<Clock> | null)?.after === 'function'],
  onError: FUNCTION,
};

/** Rejects invalid options before anything is connected. */
export function checkPostgresOptions(options: PostgresStoreOptions): void {
  refuseUnknownFields(options, RULES);
  for (const [field, [expected, isValid]] of Object.entries(RULES)) {
    const value = options[field as keyof PostgresStoreOptions];
    if (value === undefined || isValid(value)) continue;
    // A URL may contain a password, so it is not shown.
    if (RULES[field as keyof PostgresStoreOptions] !== URL_RULE) throw invalidField(field, value, expected);
    throw new TaskError('INVALID_ARGUMENT', `${field} is no address of a PostgreSQL database; expected ${expected}`);
  }
  if ((options.url === undefined) === (options.pool === undefined))
    throw new TaskError('INVALID_ARGUMENT', 'A PostgreSQL store needs a url or a pool; give one of the two');
}

/** Whether a text is the URL of a PostgreSQL database. */
function isPostgresUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { pathname } = new URL(value);
  return pathname.length > 1;
}

function isStoreName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 200 && isText(value);
}

function isSchemaName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{0,39}$/.test(value) && !value.startsWith('pg_');
}
