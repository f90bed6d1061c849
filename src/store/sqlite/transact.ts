import type { Clock } from '../../clock.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Writer } from '../../sqlite/writer.ts';
import type { Transaction } from './rows.ts';

/** What the contracts stand on: one connection, its writer and the time. */
export interface SqliteState {
  readonly db: Database;
  readonly writer: Writer;
  readonly clock: Clock;
}

/** Queues one verb; its time is that of the transaction it runs in. */
export function transact<T>(state: SqliteState, name: string, verb: (tx: Transaction) => T): Promise<T> {
  return state.writer.run(name, (db) => verb({ db, now: state.clock.now() }));
}
