import { checkText } from '../../../sqlite/database.ts';
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Actor } from '../../../task/actor.ts';
import { type Json, toFingerprint } from '../../../task/json.ts';
import type { NewTask, Task } from '../../../task/record.ts';
import { decideCreate, type Namesake, toStartBy } from '../../decide.ts';
import type { NewHold } from '../../hold-contract.ts';
import { toEventBytes, toTaskBytes } from '../../stored-bytes.ts';
import type { CreateOptions, CreateResult } from '../../task-contract.ts';
import { insertHold, joinHold } from '../holds.ts';
import type { Room } from '../room.ts';
import { type Transaction, toJsonText, toListText } from '../rows.ts';
import { appendEvents } from './append.ts';
import { noteTakeover } from './note-takeover.ts';
import { getTask } from './read.ts';

const BY_KEY = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE idempotency_key = ? AND principal = ? AND identity = ? AND tool = ?`;
const BY_ALIAS = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE alias = ? AND principal = ? AND identity = ?`;
const INSERT_TASK = `INSERT INTO task (id, alias, tool, principal, identity, status, estimate_ms, created_at, updated_at,
    ttl_ms, poll_interval_ms, attempt, fence, spend, idempotent, max_attempts, run_at, idempotency_key, fingerprint,
    deliver, trace, labels, last_seq, high_rate, questions, open_questions, steps, args,
    bytes, start_by)
  VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, 0, 0, 1, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, 0, 0, ?, ?, ?)`;

const LONG_ARGS = 4096;

/** A new task with what is worked out before its transaction. */
export interface Draft {
  readonly task: NewTask;
  readonly argsText: string;
  /** Only a task with a key or an alias can ever be joined, and needs one. */
  readonly fingerprints: readonly string[] | undefined;
  readonly hold: NewHold | undefined;
  /** Who takes over a task that was held. */
  readonly by: Actor | undefined;
  readonly texts: { readonly deliver: string | null; readonly trace: string | null; readonly labels: string | null };
  readonly bytes: number;
}

export function toDraft(task: NewTask, { hold, by, fingerprints }: Partial<CreateOptions>): Draft {
  checkNames(task);
  for (const name of [hold?.key ?? '', hold?.answeredKey ?? '', hold?.by ?? '']) checkText(name);
  const canBeJoined = task.idempotencyKey !== undefined || task.alias !== undefined;
  const argsText = JSON.stringify(task.args);
  const { alias, idempotencyKey: key } = task;
  const labels = toJsonText(task.labels);
  const texts = { deliver: toListText(task.deliver), trace: toJsonText(task.trace), labels };
  return {
    task,
    argsText,
    fingerprints: canBeJoined ? (fingerprints ?? [toFingerprint(task.args)]) : undefined,
    hold,
    by,
    texts,
    bytes: toTaskBytes({ alias, key, labels }, argsText, texts.deliver, texts.trace) + toEventBytes(null),
  };
}

export function createTask(tx: Transaction, draft: Draft, room: Room): CreateResult {
  const { task, fingerprints, hold } = draft;
  if (fingerprints !== undefined) {
    const decision = decideCreate({ tool: task.tool, fingerprints }, findNamesakes(tx, task));
    if (decision.kind === 'conflict') return decision;
    const joined = decision.kind === 'join' ? getTask(tx.db, decision) : undefined;
    if (joined) return { kind: 'joined', task: joined };
  }
  // Whoever gives a key says with it which calls are the same.
  const free = hold && task.idempotencyKey === undefined ? joinHold(tx, task.identity, hold) : undefined;
  if (free && draft.by && !room.refuseBytes(tx.db, 0)) noteTakeover(tx, free.taskId, draft.by);
  const held = free && getTask(tx.db, free);
  if (held) return { kind: 'joined', task: held, tookOver: true };
  const refusal = room.refuse(tx.db, draft.bytes);
  if (refusal) return refusal;
  insert(tx, draft);
  return { kind: 'created', task: toCreated(draft, tx.now) };
}

// Before the transaction, which others share. Topics are written only when the task ends, which must not fail for
// something that was known at the start.
function checkNames({ taskId, tool, principal, identity, alias = '', idempotencyKey = '', deliver }: NewTask): void {
  for (const name of [taskId, tool, principal, identity, alias, idempotencyKey]) checkText(name);
  for (const { topic } of deliver) checkText(topic);
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

function insert(tx: Transaction, draft: Draft): void {
  const { argsText } = draft;
  const isLong = argsText.length > LONG_ARGS;
  const startBy = toStartBy(draft.task, tx.now) ?? null;
  const row = tx.db.insert(INSERT_TASK, ...toValues(tx, draft), isLong ? null : argsText, draft.bytes, startBy);
  if (isLong) tx.db.run('INSERT INTO long_args (task, args) VALUES (?, ?)', row, argsText);
  if (draft.hold) insertHold(tx.db, row, draft.hold);
  appendEvents(tx, { row, last_seq: 0, high_rate: 0 }, [{ type: 'submitted' }]);
}

function toValues({ now }: Transaction, { task, fingerprints, texts }: Draft): SqliteValue[] {
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
    // The column is older than tasks without one.
    task.pollIntervalMs ?? 0,
    task.idempotent ? 1 : 0,
    task.maxAttempts,
    now,
    task.idempotencyKey ?? null,
    fingerprints?.[0] ?? null,
    texts.deliver,
    texts.trace,
    texts.labels,
  ];
}

function toCreated({ task, argsText }: Draft, now: number): Task {
  const fresh = {
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    runAt: now,
    attempt: 0,
    fence: 0,
    questions: [],
    lastSeq: 1,
  } as const;
  // Not a spread: that is ten times as slow for an object of this size.
  const created = Object.assign(fresh, task, { args: JSON.parse(argsText) as Json });
  const startBy = toStartBy(task, now);
  if (startBy === undefined) return created;
  const { startWithinMs: _, ...kept } = created;
  return { ...kept, startBy };
}
