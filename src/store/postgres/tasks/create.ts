import type { Actor } from '../../../task/actor.ts';
import type { EventBody, EventType } from '../../../task/event.ts';
import type { NewTask, Task } from '../../../task/record.ts';
import { isTerminal } from '../../../task/status.ts';
import type { CreateResult } from '../../contracts/task-contract.ts';
import { decideCreate, isSameTakeover, type Namesake, toFirstEvents } from '../../decide.ts';
import { insertHold, joinHold } from '../holds.ts';
import type { Transaction } from '../transaction.ts';
import type { AdmissionControl, Stored } from './admission-control.ts';
import { type Draft, SAVE_STEP, toCreated, toNewRow } from './draft.ts';
import { RECORD_OF } from './read.ts';
import { findPlace } from './task-queue.ts';
import { type RecordRow, toTask } from './task-row.ts';

const BY_KEY = `SELECT id AS "taskId", tool, fingerprint FROM @task
  WHERE idempotency_key = $1 AND principal = $2 AND identity = $3 AND tool = $4`;
const BY_ALIAS = `SELECT id AS "taskId", tool, fingerprint FROM @task
  WHERE alias = $1 AND principal = $2 AND identity = $3`;
const NEWEST = 'SELECT type, body FROM @event WHERE task = $1 AND seq = $2';

const NO_QUEUE = { queue: null, behind: false };

/** What a new task is created from. */
export interface Creation {
  readonly draft: Draft;
  readonly admission: AdmissionControl;
  /** What its principal has stored, if that is limited. */
  readonly stored: Stored | undefined;
}

export async function createTask(tx: Transaction, creation: Creation): Promise<CreateResult> {
  const { draft, admission, stored } = creation;
  const { task, options } = draft;
  const same = await findSame(tx, draft);
  if (same) return same;
  const held = await takeOver(tx, creation);
  if (held) return { kind: 'joined', task: held, tookOver: true };
  const refusal = await admission.refuse(tx, task, { ...options, bytes: draft.bytes, stored });
  if (refusal) return refusal;
  const place = draft.queues.length === 0 ? NO_QUEUE : await findPlace(tx, task.identity, draft.queues);
  const row = toNewRow(draft, await tx.takeRow(), { now: tx.now, place });
  tx.insert(row);
  tx.change(row, toFirstEvents(task, options.rerun));
  for (const { name, value } of options.rerun?.steps ?? []) tx.enqueue(SAVE_STEP, row.row, name, JSON.stringify(value));
  if (options.hold) insertHold(tx, row.row, options.hold);
  return { kind: 'created', task: toCreated(draft, tx.now, place) };
}

async function findSame(tx: Transaction, { task, fingerprints }: Draft): Promise<CreateResult | undefined> {
  if (fingerprints === undefined) return undefined;
  const decision = decideCreate({ tool: task.tool, fingerprints }, await findNamesakes(tx, task));
  if (decision.kind === 'conflict') return decision;
  const joined = decision.kind === 'join' ? await getTask(tx, decision.taskId) : undefined;
  return joined && { kind: 'joined', task: joined };
}

async function findNamesakes(tx: Transaction, task: NewTask) {
  const { idempotencyKey, alias, principal, identity, tool } = task;
  return {
    byKey:
      idempotencyKey === undefined
        ? undefined
        : await tx.row<Namesake>(BY_KEY, idempotencyKey, principal, identity, tool),
    byAlias: alias === undefined ? undefined : await tx.row<Namesake>(BY_ALIAS, alias, principal, identity),
  };
}

/** Joins a held task without a holder. A caller that gives a key decides with it which calls are equal, so it joins none. */
async function takeOver(tx: Transaction, { draft, admission, stored }: Creation): Promise<Task | undefined> {
  const { task, options } = draft;
  const { hold, by } = options;
  if (hold === undefined || task.idempotencyKey !== undefined) return undefined;
  const taskId = await joinHold(tx, task.identity, hold);
  if (taskId === undefined) return undefined;
  if (by && !admission.refuseBytes(tx, task.principal, { ...options, bytes: 0, stored }))
    await noteTakeover(tx, taskId, by);
  return getTask(tx, taskId);
}

/** Records who took over a held task. A task that has ended gets no more events. */
async function noteTakeover(tx: Transaction, taskId: string, by: Actor): Promise<void> {
  const task = await tx.find(taskId);
  if (task === undefined || isTerminal(task.status)) return;
  const newest = await tx.row<{ type: EventType; body: string | null }>(NEWEST, task.row, task.last_seq);
  if (newest && isSameTakeover({ ...JSON.parse(newest.body ?? '{}'), type: newest.type } as EventBody, by)) return;
  task.updated_at = tx.now;
  tx.change(task, [{ type: 'taken-over', by }]);
}

/** Reads a task, including this transaction's changes. */
export async function getTask(tx: Transaction, taskId: string): Promise<Task | undefined> {
  const row = await tx.row<RecordRow>(RECORD_OF, taskId);
  return row && toTask(row);
}
