/** The entry point of stores in PostgreSQL: for several machines on one store. */
export type { Clock } from '../../clock.ts';
export type { PayloadCodec } from '../../codec/codec.ts';
export type { Store } from '../contract.ts';
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresStoreOptions,
} from './postgres-options.ts';
export { openPostgresStore } from './postgres-store.ts';
