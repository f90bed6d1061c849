/** Asks the database whether a transaction was committed when the response to COMMIT was lost. */
import { TaskError } from '../../errors.ts';
import type { Connection } from './connection.ts';
import { isUnreachable } from './failure.ts';
import type { EventSample } from './transaction.ts';

/**
 * Changes with each failover and each start of the server. Transaction ids are only meaningful within one of these epochs:
 * an id whose transaction was lost may be assigned again.
 */
export const SERVER_EPOCH = `left(pg_walfile_name(pg_current_wal_lsn()), 8) || extract(epoch FROM pg_postmaster_start_time())`;
const COMMIT_STATUS = `SELECT CASE ${SERVER_EPOCH} WHEN $2 THEN pg_xact_status($1::text::xid8) ELSE 'elsewhere' END AS status`;
const HAS_EVENT = 'SELECT 1 FROM @event WHERE xid = $1::text::xid8 AND task = $2 AND seq = $3 AND type = $4';

/** Identifies a transaction across failovers. */
export interface TransactionMark {
  readonly xid: string;
  readonly epoch: string;
}

/** What is known about a transaction whose outcome is not. */
export interface LostCommit {
  readonly mark: TransactionMark;
  /** One of its events. */
  readonly sample: EventSample | undefined;
}

/** Asks until the database answers; rejects when it stays unreachable for `patienceMs`. */
export async function wasCommitted(
  connection: Connection,
  lost: LostCommit,
  { patienceMs }: { readonly patienceMs: number },
): Promise<boolean> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      const isCommitted = await readCommitStatus(connection, lost);
      if (isCommitted !== undefined) return isCommitted;
    } catch (error) {
      if (!isUnreachable(error)) return false;
      if (performance.now() >= endsAt) throw unknownStatusError(connection.place, error);
    }
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 100));
  }
}

/** Returns `undefined` while the transaction is in progress. */
async function readCommitStatus(connection: Connection, { mark, sample }: LostCommit): Promise<boolean | undefined> {
  const { xid, epoch } = mark;
  const [found] = await connection.read<{ status: string | null }>(COMMIT_STATUS, xid, epoch);
  if (found?.status === 'in progress') return undefined;
  if (found?.status === 'aborted') return false;
  // A server that has recovered, or a standby that took over, may have given the id to another transaction; the sample
  // event tells them apart.
  return sample ? hasEvent(connection, xid, sample) : found?.status === 'committed';
}

async function hasEvent(connection: Connection, xid: string, { task, seq, type }: EventSample): Promise<boolean> {
  return (await connection.read(HAS_EVENT, xid, task, seq, type)).length > 0;
}

function unknownStatusError(place: string, cause: unknown): TaskError {
  const text = `${place} was lost before it said whether the last change was kept; look before you try again`;
  return new TaskError('STORE_FAILED', text, { cause });
}
