import type { SqliteValue } from '../../sqlite/driver.ts';
import { toFingerprint } from '../../task/json.ts';
import type { NewTask, Task } from '../../task/record.ts';
import type { CreateResult } from '../contract.ts';
import { decideCreate, type Namesake } from '../decide.ts';
import { appendEvents } from './append.ts';
import { getTask } from './read.ts';
import { type Transaction, toJsonText, toListText } from './rows.ts';

const BY_KEY = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE idempotency_key = ? AND principal = ? AND identity = ? AND tool = ?`;
const BY_ALIAS = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE alias = ? AND principal = ? AND identity = ?`;
const COUNT_QUEUED = `SELECT count(*) AS queued FROM task WHERE status = 'queued' AND identity = ?`;
const IS_FULL = `SELECT 1 FROM task WHERE status = 'queued' AND identity = ? LIMIT 1 OFFSET ?`;
const INSERT_TASK = `INSERT INTO task (id, alias, tool, principal, identity, status, estimate_ms, created_at, updated_at,
    ttl_ms, poll_interval_ms, attempt, fence, spend, idempotent, max_attempts, run_at, idempotency_key, fingerprint,
    deliver, trace, last_seq, high_rate, questions, open_questions, steps, args)
  VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, 0, 0, 1, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, 0, 0, ?)`;

const LONG_ARGS = 4096;

/** A new task with what is worked out before its transaction. */
export interface Draft {
  readonly task: NewTask;
  readonly argsText: string;
  /** Only a task with a key or an alias can ever be joined, and needs one. */
  readonly fingerprint: string | null;
}

export function toDraft(task: NewTask): Draft {
  const canBeJoined = task.idempotencyKey !== undefined || task.alias !== undefined;
  return {
    task,
    argsText: JSON.stringify(task.args),
    fingerprint: canBeJoined ? toFingerprint(task.args) : null,
  };
}

export function createTask(tx: Transaction, draft: Draft, queueLimit: number): CreateResult {
  const { task, fingerprint } = draft;
  if (fingerprint !== null) {
    const decision = decideCreate({ tool: task.tool, fingerprint }, findNamesakes(tx, task));
    if (decision.kind === 'conflict') return decision;
    const joined = decision.kind === 'join' ? getTask(tx.db, decision) : undefined;
    if (joined) return { kind: 'joined', task: joined };
  }
  if (isFull(tx, task.identity, queueLimit)) return { kind: 'full', queued: countQueued(tx, task.identity) };
  insert(tx, draft);
  return { kind: 'created', task: toCreated(draft, tx.now) };
}

export function countQueued(tx: Pick<Transaction, 'db'>, identity: string): number {
  return tx.db.get<{ queued: number }>(COUNT_QUEUED, identity)?.queued ?? 0;
}

function findNamesakes(
  tx: Transaction,
  task: NewTask,
): { byKey?: Namesake | undefined; byAlias?: Namesake | undefined } {
  const { idempotencyKey, alias, principal, identity, tool } = task;
  return {
    byKey:
      idempotencyKey === undefined ? undefined : tx.db.get<Namesake>(BY_KEY, idempotencyKey, principal, identity, tool),
    byAlias: alias === undefined ? undefined : tx.db.get<Namesake>(BY_ALIAS, alias, principal, identity),
  };
}

function isFull(tx: Transaction, identity: string, queueLimit: number): boolean {
  if (queueLimit <= 0) return true;
  return tx.db.get(IS_FULL, identity, queueLimit - 1) !== undefined;
}

function insert(tx: Transaction, draft: Draft): void {
  const { argsText } = draft;
  const isLong = argsText.length > LONG_ARGS;
  const row = tx.db.insert(INSERT_TASK, ...toValues(tx, draft), isLong ? null : argsText);
  if (isLong) tx.db.run('INSERT INTO long_args (task, args) VALUES (?, ?)', row, argsText);
  appendEvents(tx, { row, last_seq: 0, high_rate: 0 }, [{ type: 'submitted' }]);
}

function toValues({ now }: Transaction, { task, fingerprint }: Draft): SqliteValue[] {
  return [
    task.taskId,
    task.alias ?? null,
    task.tool,
    task.principal,
    task.identity,
    task.estimateMs ?? null,
    now,
    now,
    task.ttlMs,
    task.pollIntervalMs,
    task.idempotent ? 1 : 0,
    task.maxAttempts,
    now,
    task.idempotencyKey ?? null,
    fingerprint,
    toListText(task.deliver),
    toJsonText(task.trace),
  ];
}

function toCreated({ task, argsText }: Draft, now: number): Task {
  return {
    ...task,
    args: JSON.parse(argsText),
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    runAt: now,
    attempt: 0,
    fence: 0,
    questions: [],
    lastSeq: 1,
  };
}
