/**
 * Whether there is room for one more task in the queue of its identity and in the share of its principal.
 *
 * Tasks are not counted each time. A queue grows only by transactions that number an event, so after one count, at most as
 * many tasks can have joined as event numbers were assigned since. Only when that bound gets near the limit is the queue
 * counted, by one transaction at a time.
 */
import type { NewTask } from '../../../task/record.ts';
import type { CreateOptions, CreateResult } from '../../contracts/task-contract.ts';
import type { Transaction } from '../transaction.ts';
import type { Statement } from '../transactor.ts';

const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 11))';
const COUNT = `SELECT count(*) AS waiting FROM @task WHERE status = 'queued' AND identity = $1`;
const COUNT_OF_PRINCIPAL = `SELECT
  (SELECT count(*) FROM @task WHERE status = 'queued' AND identity = $1 AND principal = $2) +
  (SELECT count(*) FROM @task WHERE status = 'input_required' AND identity = $1 AND principal = $2) AS waiting`;
/** What a principal has stored so far. */
const STORED = 'SELECT coalesce(sum(bytes), 0)::bigint AS bytes, count(*) AS parts FROM @usage WHERE principal = $1';
/** Merges the increments that no other transaction has locked into one. */
const FOLD = `WITH gone AS (DELETE FROM @usage WHERE row IN
    (SELECT row FROM @usage WHERE principal = $1 FOR UPDATE SKIP LOCKED LIMIT 1000) RETURNING identity, bytes)
  INSERT INTO @usage (principal, identity, bytes)
    SELECT $1, identity, sum(bytes) FROM gone GROUP BY identity HAVING sum(bytes) <> 0`;

// Numbers assigned to transactions that have not committed yet are missing from every count.
const IN_FLIGHT = 500;
const MAX_PARTS = 50;
const MAX_COUNTS = 10_000;

type Limits = Pick<CreateOptions, 'queueLimit' | 'share'>;

/** How much a task wants to store, and how much its principal has stored. */
interface Wanted extends Limits {
  readonly bytes: number;
  readonly stored: Stored | undefined;
}

/** What is counted: the queue of an identity, or what one principal has waiting in it, including for answers. */
interface Queue {
  readonly identity: string;
  readonly principal?: string;
}

/** The committed usage of a principal, read ahead of the transaction's verbs. */
export interface Stored {
  readonly bytes: number;
  readonly parts: number;
}

/** The reads that a new task needs before it is written: none when its principal has no storage limit. */
export function toAdmissionReads({ principal }: NewTask, { share }: Limits): Statement[] {
  return (share?.storedBytes ?? Infinity) === Infinity ? [] : [[STORED, principal]];
}

export class AdmissionControl {
  readonly #counts = new Map<string, { readonly waiting: number; readonly number: number }>();

  /** Why a task of `bytes` is refused; `undefined` when it is accepted. */
  async refuse(tx: Transaction, task: NewTask, limits: Wanted): Promise<CreateResult | undefined> {
    const { identity, principal } = task;
    const most = limits.share?.queued ?? Infinity;
    const waiting = await this.#countIfFull(tx, { identity, principal }, most);
    if (waiting !== undefined) return { kind: 'over-share', limit: 'queued', used: waiting };
    const queued = await this.#countIfFull(tx, { identity }, limits.queueLimit);
    if (queued !== undefined) return { kind: 'full', queued };
    return this.refuseBytes(tx, principal, limits);
  }

  /** Like `refuse`, but checks only the stored bytes, for writes that add no task. */
  refuseBytes(tx: Transaction, principal: string, { share, bytes, stored }: Wanted): CreateResult | undefined {
    const most = share?.storedBytes ?? Infinity;
    if (most === Infinity) return undefined;
    if ((stored?.parts ?? 0) > MAX_PARTS) tx.enqueueOnce(FOLD, principal);
    // Earlier verbs of the same transaction count too.
    const used = (stored?.bytes ?? 0) + tx.countBytes(principal);
    return used + bytes > most ? { kind: 'over-share', limit: 'storedBytes', used } : undefined;
  }

  /** How many tasks wait, when the limit is reached; otherwise `undefined`. */
  async #countIfFull(tx: Transaction, queue: Queue, limit: number): Promise<number | undefined> {
    if (limit === Infinity) return undefined;
    const name = JSON.stringify([queue.identity, queue.principal]);
    const number = await tx.countEvents();
    const last = this.#counts.get(name);
    if (last && last.waiting + number - last.number + IN_FLIGHT < limit) return undefined;
    await tx.rows(LOCK, name);
    const waiting = await countWaiting(tx, queue);
    if (this.#counts.size >= MAX_COUNTS) this.#counts.clear();
    this.#counts.set(name, { waiting, number });
    return waiting < limit ? undefined : waiting;
  }
}

/** How many tasks of an identity are queued, or how many of one of its principals are queued or wait for an answer. */
export async function countWaiting(tx: Transaction, { identity, principal }: Queue): Promise<number> {
  const found =
    principal === undefined
      ? await tx.row<{ waiting: number }>(COUNT, identity)
      : await tx.row<{ waiting: number }>(COUNT_OF_PRINCIPAL, identity, principal);
  return found?.waiting ?? 0;
}
