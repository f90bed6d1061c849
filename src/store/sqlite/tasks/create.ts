import type { Json } from '../../../task/json.ts';
import type { NewTask, Task } from '../../../task/record.ts';
import type { CreateResult } from '../../contracts/task-contract.ts';
import { decideCreate, type Namesake, toFirstEvents, toStartBy } from '../../decide.ts';
import { insertHold, joinHold } from '../holds.ts';
import type { Transaction } from '../rows.ts';
import type { AdmissionControl } from './admission-control.ts';
import { appendEvents } from './append.ts';
import { SAVE_STEP } from './attempt.ts';
import { type Draft, hasLongArgs } from './draft.ts';
import { noteTakeover } from './note-takeover.ts';
import { getTask } from './read.ts';
import { findPlace } from './task-queue.ts';
import { insertTaskRow } from './task-row.ts';

const BY_KEY = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE idempotency_key = ? AND principal = ? AND identity = ? AND tool = ?`;
const BY_ALIAS = `SELECT id AS taskId, tool, fingerprint FROM task
  WHERE alias = ? AND principal = ? AND identity = ?`;
export function createTask(tx: Transaction, draft: Draft, admission: AdmissionControl): CreateResult {
  const { task, fingerprints, hold } = draft;
  if (fingerprints !== undefined) {
    const decision = decideCreate({ tool: task.tool, fingerprints }, findNamesakes(tx, task));
    if (decision.kind === 'conflict') return decision;
    const joined = decision.kind === 'join' ? getTask(tx.db, decision) : undefined;
    if (joined) return { kind: 'joined', task: joined };
  }
  // A caller that gives a key decides with it which calls are equal, so the hold is not used.
  const free = hold && task.idempotencyKey === undefined ? joinHold(tx, task.identity, hold) : undefined;
  if (free && draft.by && !admission.refuseBytes(tx.db, 0)) noteTakeover(tx, free.taskId, draft.by);
  const held = free && getTask(tx.db, free);
  if (held) return { kind: 'joined', task: held, tookOver: true };
  const refusal = admission.refuse(tx.db, draft.bytes);
  if (refusal) return refusal;
  const placed = draft.queues.length === 0 ? draft : { ...draft, place: findPlace(tx.db, task.identity, draft.queues) };
  insert(tx, placed);
  return { kind: 'created', task: toCreated(placed, tx.now) };
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
  const row = insertTaskRow(tx.db, draft, tx.now);
  if (hasLongArgs(draft)) tx.db.run('INSERT INTO long_args (task, args) VALUES (?, ?)', row, draft.argsText);
  if (draft.hold) insertHold(tx.db, row, draft.hold);
  appendEvents(tx, { row, id: draft.task.taskId, last_seq: 0, high_rate: 0 }, toFirstEvents(draft.task, draft.rerun));
  for (const { name, value } of draft.rerun?.steps ?? []) tx.db.run(SAVE_STEP, row, name, JSON.stringify(value));
}

function toCreated({ task, argsText, place, rerun }: Draft, now: number): Task {
  const fresh = {
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    runAt: now,
    attempt: 0,
    fence: 0,
    questions: [],
    lastSeq: 1 + (rerun?.steps.length ?? 0),
  } as const;
  // Not a spread: that is ten times as slow for an object of this size.
  const created = Object.assign(fresh, task, { args: JSON.parse(argsText) as Json });
  if (place.queue !== null) Object.assign(created, { queue: place.queue });
  const startBy = toStartBy(task, now);
  if (startBy === undefined) return created;
  const { startWithinMs: _, ...kept } = created;
  return { ...kept, startBy };
}
