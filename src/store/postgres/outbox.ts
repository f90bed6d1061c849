import { isText } from '../../sqlite/database.ts';
import type { Json } from '../../task/json.ts';
import type { Outbox, OutboxMessage, OutboxTake, WaitingMessage } from '../contracts/outbox-contract.ts';
import type { PostgresState } from './postgres-state.ts';
import { RECORD_COLUMNS, type RecordRow, toTask } from './tasks/task-row.ts';
import type { Transaction } from './transaction.ts';

const NEXT_DUE = 'SELECT min(due_at) AS "dueAt" FROM @outbox WHERE topic = ANY($1)';
// Messages that another courier is claiming at this moment are skipped.
const TAKE = `UPDATE @outbox AS outbox SET due_at = $4, tries = tries + 1
  FROM (SELECT row, due_at FROM @outbox WHERE topic = ANY($1) AND due_at <= $2 ORDER BY due_at, row LIMIT $3
    FOR UPDATE SKIP LOCKED) AS due
  WHERE outbox.row = due.row RETURNING outbox.row, due.due_at, outbox.id, outbox.task, outbox.topic, outbox.data, outbox.tries`;
const TASKS = `SELECT ${RECORD_COLUMNS} FROM @task AS task WHERE row = ANY($1::bigint[])`;
const WAITING = `SELECT id AS "messageId", topic, due_at AS "dueAt", tries FROM @outbox
  WHERE task = (SELECT row FROM @task WHERE id = $1) ORDER BY row`;
const DONE = 'DELETE FROM @outbox WHERE id = $1';
const POSTPONE = 'UPDATE @outbox SET due_at = $2 WHERE id = $1';

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

export function createOutbox({ connection, transactor, time, reads }: PostgresState): Outbox {
  return {
    async take(request) {
      const [next] = await reads(() => connection.read<{ dueAt: number | null }>(NEXT_DUE, request.topics));
      const dueAt = next?.dueAt ?? null;
      // Checked first, so that no transaction is begun for nothing.
      if (dueAt === null) return { messages: [] };
      if (dueAt > time.read().now) return { messages: [], nextDueAt: dueAt };
      return transactor.run('outbox-take', (tx) => takeMessages(tx, request), { isAlone: true });
    },
    waiting: (taskId) => reads(async () => (isText(taskId) ? connection.read<WaitingMessage>(WAITING, taskId) : [])),
    done: (messageId) => transactor.run('outbox-done', async (tx) => tx.enqueue(DONE, messageId)),
    postpone: (messageId, dueAt) =>
      transactor.run('outbox-postpone', async (tx) => tx.enqueue(POSTPONE, messageId, Math.round(dueAt))),
  };
}

async function takeMessages(tx: Transaction, { topics, max, holdMs }: TakeRequest): Promise<OutboxTake> {
  const heldUntil = Math.round(tx.now + holdMs);
  const taken = (await tx.write<OutboxRow>(TAKE, topics, tx.now, Math.max(0, max), heldUntil)).sort(
    (a, b) => a.due_at - b.due_at || a.row - b.row,
  );
  const rows = await tx.rows<RecordRow>(
    TASKS,
    taken.map(({ task }) => task),
  );
  const tasks = new Map(rows.map((row) => [row.row, row]));
  const messages = taken.flatMap((message) => toMessage(message, tasks.get(message.task)) ?? []);
  const nextDueAt = (await tx.row<{ dueAt: number | null }>(NEXT_DUE, topics))?.dueAt ?? null;
  return nextDueAt === null ? { messages } : { messages, nextDueAt };
}

function toMessage({ id, topic, data, tries }: OutboxRow, row: RecordRow | undefined): OutboxMessage | undefined {
  if (row === undefined) return undefined;
  const message = { messageId: id, topic, task: toTask(row), tries };
  return data === null ? message : { ...message, data: JSON.parse(data) as Json };
}
