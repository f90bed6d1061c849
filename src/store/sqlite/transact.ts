import type { Database } from '../../sqlite/database.ts';
import type { OperationOptions, Writer } from '../../sqlite/writer.ts';
import type { Transaction } from './rows.ts';
import type { SqliteTime } from './sqlite-time.ts';
import type { WrittenEvents } from './written-events.ts';

/** The shared state of all contracts: one connection, its writer and the time. */
export interface SqliteState {
  readonly db: Database;
  readonly writer: Writer;
  readonly time: SqliteTime;
  readonly written: WrittenEvents;
}

/** Queues one verb; its time is that of the transaction it runs in. */
export function transact<T>(state: SqliteState, name: string, verb: (tx: Transaction) => T): Promise<T> {
  return state.writer.run(name, toOperation(state, verb));
}

/** Like `transact`, for background writes that no caller waits for. */
export function transactInBackground<T>(state: SqliteState, name: string, verb: (tx: Transaction) => T): Promise<T> {
  return state.writer.run(name, toOperation(state, verb), DEFERRABLE);
}

const DEFERRABLE: OperationOptions = { isDeferrable: true };

function toOperation<T>({ time, written }: SqliteState, verb: (tx: Transaction) => T): (db: Database) => T {
  return (db) => {
    const value = verb({ db, written, ...time.read() });
    time.keep();
    return value;
  };
}
