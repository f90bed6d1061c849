import type { Connection } from './connection.ts';
import type { PostgresTime } from './postgres-time.ts';
import type { Transactor } from './transactor.ts';

/** The shared state of all contracts. */
export interface PostgresState {
  readonly connection: Connection;
  readonly transactor: Transactor;
  readonly time: PostgresTime;
  /** Runs a read; retries while the database cannot be reached, and converts failures to `TaskError`s. */
  reads<T>(read: () => Promise<T>): Promise<T>;
}
