import { type EventBody, isHighRate, KEPT_HIGH_RATE_EVENTS } from '../../../task/event.ts';
import { toBodyText, toEventBytes } from '../../stored-bytes.ts';
import type { Transaction } from '../rows.ts';
import type { WorkRow } from './task-row.ts';

const INSERT_EVENT = 'INSERT INTO event (task, seq, at, type, body) VALUES (?, ?, ?, ?, ?)';

// Trimming has a cost, so it waits until a tenth more than the limit has accumulated.
const TRIMMED_AT = KEPT_HIGH_RATE_EVENTS * 1.1;

type Appendable = Pick<WorkRow, 'row' | 'id' | 'last_seq' | 'high_rate'>;

export interface Appended {
  readonly lastSeq: number;
  /** How many high-rate events there are now. */
  readonly highRate: number;
  /** By how many bytes the task has grown. */
  readonly bytes: number;
}

/** Numbers events after the newest one and writes them; the caller stores the new numbers on the task. */
export function appendEvents(tx: Transaction, task: Appendable, bodies: readonly EventBody[]): Appended {
  let lastSeq = task.last_seq;
  let highRate = task.high_rate;
  let bytes = 0;
  for (const body of bodies) {
    lastSeq += 1;
    if (isHighRate(body.type)) highRate += 1;
    const text = toBodyText(body);
    bytes += toEventBytes(text);
    const row = tx.db.insert(INSERT_EVENT, task.row, lastSeq, tx.now, body.type, text);
    tx.written.note(row, task.id, body.type);
  }
  if (highRate <= TRIMMED_AT) return { lastSeq, highRate, bytes };
  const trimmed = trimEvents(tx, task.row, highRate);
  return { lastSeq, highRate: highRate - trimmed.events, bytes: bytes - trimmed.bytes };
}

const OLDEST = `SELECT row FROM event WHERE task = ? AND type IN ('progress', 'log', 'stream') ORDER BY seq LIMIT ? + 0`;
const SIZE_OF_OLDEST = `SELECT sum(${toEventBytes(null)} + coalesce(octet_length(body), 0)) AS bytes FROM event
  WHERE row IN (${OLDEST})`;

/** Deletes the oldest high-rate events beyond the limit; returns how many were deleted, and their size. */
export function trimEvents(tx: Transaction, task: number, highRate: number): { events: number; bytes: number } {
  const surplus = Math.max(0, highRate - KEPT_HIGH_RATE_EVENTS);
  const bytes = tx.db.get<{ bytes: number | null }>(SIZE_OF_OLDEST, task, surplus)?.bytes ?? 0;
  return { events: tx.db.run(`DELETE FROM event WHERE row IN (${OLDEST})`, task, surplus), bytes };
}
