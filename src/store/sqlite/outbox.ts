import { type Database, isText } from '../../sqlite/database.ts';
import type { Json } from '../../task/json.ts';
import type { Outbox, OutboxMessage, OutboxTake, WaitingMessage } from '../contracts/outbox-contract.ts';
import type { Transaction } from './rows.ts';
import { TASK_COLUMNS, toTask, toTaskRow } from './tasks/task-row.ts';

const DUE = `SELECT row, id, task, topic, data, due_at, tries FROM outbox
  WHERE topic = ? AND due_at <= ? ORDER BY due_at, row LIMIT ? + 0`;
const HOLD = 'UPDATE outbox SET due_at = ?, tries = tries + 1 WHERE row = ?';
const NEXT_DUE = 'SELECT due_at FROM outbox WHERE topic = ? ORDER BY due_at LIMIT 1';
const WAITING = `SELECT id AS messageId, topic, due_at AS dueAt, tries FROM outbox
  WHERE task = (SELECT row FROM task WHERE id = ?) ORDER BY row`;
const TASK = `SELECT ${TASK_COLUMNS} FROM task WHERE row = ?`;

type TakeRequest = Parameters<Outbox['take']>[0];

interface OutboxRow {
  readonly row: number;
  readonly id: string;
  readonly task: number;
  readonly topic: string;
  readonly data: string | null;
  readonly due_at: number;
  readonly tries: number;
}

export function takeMessages(tx: Transaction, request: TakeRequest): OutboxTake {
  const due = findDue(tx, request).slice(0, Math.max(0, request.max));
  for (const { row } of due) tx.db.run(HOLD, tx.now + request.holdMs, row);
  const messages = due.flatMap((row) => toMessage(tx.db, row) ?? []);
  const nextDueAt = findNextDue(tx.db, request.topics);
  return nextDueAt === undefined ? { messages } : { messages, nextDueAt };
}

/** When the next message is due; read before `take`, so that the write lock is not taken for nothing. */
export function findNextDue(db: Database, topics: readonly string[]): number | undefined {
  const times = topics.flatMap((topic) => db.get<{ due_at: number }>(NEXT_DUE, topic)?.due_at ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

export function removeMessage({ db }: Transaction, messageId: string): void {
  db.run('DELETE FROM outbox WHERE id = ?', messageId);
}

export function postponeMessage({ db }: Transaction, messageId: string, dueAt: number): void {
  db.run('UPDATE outbox SET due_at = ? WHERE id = ?', dueAt, messageId);
}

export function listWaiting(db: Database, taskId: string): WaitingMessage[] {
  return isText(taskId) ? db.all<WaitingMessage>(WAITING, taskId).map((row) => ({ ...row })) : [];
}

function findDue({ db, now }: Transaction, { topics, max }: TakeRequest): OutboxRow[] {
  const due = [...new Set(topics)].flatMap((topic) => db.all<OutboxRow>(DUE, topic, now, Math.max(0, max)));
  return due.sort((a, b) => a.due_at - b.due_at || a.row - b.row);
}

function toMessage(db: Database, row: OutboxRow): OutboxMessage | undefined {
  const [values] = db.arrays(TASK, row.task);
  if (values === undefined) return undefined;
  const task = toTask(db, toTaskRow(values));
  const message = { messageId: row.id, topic: row.topic, task, tries: row.tries + 1 };
  return row.data === null ? message : { ...message, data: JSON.parse(row.data) as Json };
}
