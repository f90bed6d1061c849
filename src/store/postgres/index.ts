/** The door to stores in PostgreSQL: for several machines on one store. */
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresStoreOptions,
} from './postgres-options.ts';
export { openPostgresStore } from './postgres-store.ts';
