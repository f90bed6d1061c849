import type { Actor } from '../../../task/actor.ts';
import { isTerminal } from '../../../task/status.ts';
import { isSameTakeover } from '../../decide.ts';
import { type EventRow, type Transaction, toEvent } from '../rows.ts';
import { appendEvents } from './append.ts';
import { findWork } from './read.ts';

const NEWEST = 'SELECT seq, at, type, body FROM event WHERE task = ? AND seq = ?';
const GROW = 'UPDATE task SET updated_at = ?, last_seq = ?, bytes = bytes + ? WHERE row = ?';

/** Records who took over a held task. A task that has ended gets no more events. */
export function noteTakeover(tx: Transaction, taskId: string, by: Actor): void {
  const task = findWork(tx.db, taskId);
  if (task === undefined || isTerminal(task.status)) return;
  const newest = tx.db.get<EventRow>(NEWEST, task.row, task.last_seq);
  if (newest && isSameTakeover(toEvent(newest), by)) return;
  const { lastSeq, bytes } = appendEvents(tx, task, [{ type: 'taken-over', by }]);
  tx.db.run(GROW, tx.now, lastSeq, bytes, task.row);
}
