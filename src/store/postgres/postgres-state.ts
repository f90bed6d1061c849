import type { Connection } from './connection.ts';
import type { PostgresTime } from './postgres-time.ts';
import type { Transactor } from './transactor.ts';

/** What the contracts stand on. */
export interface PostgresState {
  readonly connection: Connection;
  readonly transactor: Transactor;
  readonly time: PostgresTime;
  /** Runs a read; tries again while the database cannot be reached, and gives failures their name. */
  reads<T>(read: () => Promise<T>): Promise<T>;
}
