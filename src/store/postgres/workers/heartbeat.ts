/**
 * Sends heartbeats from a separate thread, over a connection that nothing else uses.
 *
 * It does not wait for the disk: when a power cut undoes a heartbeat, the leases of that worker run out anyway.
 */
import type { Heartbeat } from '../../contract.ts';
import { Connection, loadPg, toPool } from '../connection.ts';
import { toStoreError } from '../failure.ts';
import type { PostgresStoreOptions } from '../postgres-options.ts';
import { PostgresTime } from '../postgres-time.ts';
import { Transactor } from '../transactor.ts';
import { renewWorker } from './workers.ts';

type HeartbeatOptions = Pick<PostgresStoreOptions, 'schema' | 'prepare'> & { readonly url: string };

interface HeartbeatConnection {
  readonly connection: Connection;
  readonly transactor: Transactor;
}

/** A heartbeat that takes longer is left to the next one. */
const PATIENCE_MS = 500;

/** Loaded by the heartbeat thread through `Store.heartbeat`. */
export function openHeartbeat(options: HeartbeatOptions): Heartbeat {
  const opening = open(options);
  // Not unhandled: `renew` awaits it and reports the error.
  opening.catch(() => {});
  return {
    async renew(workerId, leaseMs) {
      const { transactor, connection } = await opening;
      try {
        return await transactor.run('worker-renew', (tx) => renewWorker(tx, workerId, leaseMs));
      } catch (error) {
        throw toStoreError(error, connection.place);
      }
    },
    async close() {
      const { connection, transactor } = await opening;
      await transactor.close();
      await connection.close();
    },
  };
}

async function open(options: HeartbeatOptions): Promise<HeartbeatConnection> {
  const pg = await loadPg();
  const connection = new Connection(toPool(pg, options.url, 1), options, pg);
  const quiet = {
    patienceMs: PATIENCE_MS,
    beforeBegin: () => undefined,
    beforeCommit: () => {},
    afterCommit: () => {},
  };
  return { connection, transactor: new Transactor(connection, new PostgresTime(), quiet) };
}
