import { type EventBody, isHighRate, KEPT_HIGH_RATE_EVENTS } from '../../task/event.ts';
import { type Transaction, toBodyText } from './rows.ts';
import type { WorkRow } from './task-row.ts';

const INSERT_EVENT = 'INSERT INTO event (task, seq, at, type, body) VALUES (?, ?, ?, ?, ?)';

// Trimming costs a little each time, so it waits until a tenth is to go.
const TRIMMED_AT = KEPT_HIGH_RATE_EVENTS * 1.1;

type Appendable = Pick<WorkRow, 'row' | 'last_seq' | 'high_rate'>;

export interface Appended {
  readonly lastSeq: number;
  /** High-rate events there are now. */
  readonly highRate: number;
}

/** Numbers events after the newest one and writes them; the caller keeps both numbers on the task. */
export function appendEvents(tx: Transaction, task: Appendable, bodies: readonly EventBody[]): Appended {
  let lastSeq = task.last_seq;
  let highRate = task.high_rate;
  for (const body of bodies) {
    lastSeq += 1;
    if (isHighRate(body.type)) highRate += 1;
    tx.db.run(INSERT_EVENT, task.row, lastSeq, tx.now, body.type, toBodyText(body));
  }
  if (highRate > TRIMMED_AT) highRate -= trimEvents(tx, task.row, highRate);
  return { lastSeq, highRate };
}

/** Drops the oldest high-rate events beyond those that are kept; returns how many went. */
export function trimEvents(tx: Transaction, task: number, highRate: number): number {
  return tx.db.run(
    `DELETE FROM event WHERE row IN (
       SELECT row FROM event WHERE task = ? AND type IN ('progress', 'log', 'stream') ORDER BY seq LIMIT ? + 0)`,
    task,
    Math.max(0, highRate - KEPT_HIGH_RATE_EVENTS),
  );
}
