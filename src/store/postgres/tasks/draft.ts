import { checkText } from '../../../sqlite/database.ts';
import { type Json, toFingerprint } from '../../../task/json.ts';
import type { NewTask, Task } from '../../../task/record.ts';
import type { CreateOptions } from '../../contracts/task-contract.ts';
import { toStartBy } from '../../decide.ts';
import { toStepBytes, toTaskBytes } from '../../stored-bytes.ts';
import type { TaskRow } from './task-row.ts';

/** Saves a finished step. */
export const SAVE_STEP = `INSERT INTO @step (task, name, value) VALUES ($1, $2, $3)
  ON CONFLICT (task, name) DO UPDATE SET value = excluded.value`;

/** A new task with everything that can be computed before its transaction. */
export interface Draft {
  readonly task: NewTask;
  readonly options: CreateOptions;
  readonly argsText: string;
  /** Only tasks with a key or an alias can be joined, so only they have fingerprints. */
  readonly fingerprints: readonly string[] | undefined;
  readonly texts: { readonly deliver: string | null; readonly trace: string | null; readonly labels: string | null };
  readonly bytes: number;
  /** Names under which its queue may exist, the current name first. */
  readonly queues: readonly string[];
}

/** The place of a new task in its queue. */
export interface QueuePlace {
  readonly queue: string | null;
  readonly behind: boolean;
}

export function toDraft(task: NewTask, options: CreateOptions): Draft {
  const { hold, fingerprints, queueAliases = [], rerun } = options;
  for (const { name } of rerun?.steps ?? []) checkText(name);
  checkNames(task, [...queueAliases, hold?.key ?? '', hold?.answeredKey ?? '', hold?.by ?? '']);
  const canBeJoined = task.idempotencyKey !== undefined || task.alias !== undefined;
  const argsText = JSON.stringify(task.args);
  const labels = toText(task.labels);
  const deliver = task.deliver.length === 0 ? null : JSON.stringify(task.deliver);
  const texts = { deliver, trace: toText(task.trace), labels };
  const names = { alias: task.alias, key: task.idempotencyKey, labels };
  return {
    ...{ task, options, argsText, texts },
    fingerprints: canBeJoined ? (fingerprints ?? [toFingerprint(task.args)]) : undefined,
    // Its first event is counted when it is written.
    bytes: toTaskBytes(names, argsText, deliver, texts.trace) + toStepBytes(rerun?.steps ?? []),
    queues: task.queue === undefined ? [] : [task.queue, ...queueAliases],
  };
}

/** The row of a new task, before its first event. */
export function toNewRow(draft: Draft, row: number, { now, place }: { now: number; place: QueuePlace }): TaskRow {
  const { task, texts } = draft;
  return {
    ...{ row, id: task.taskId, alias: task.alias ?? null, tool: task.tool, principal: task.principal },
    ...{ identity: task.identity, status: 'queued', status_message: null, progress: null },
    ...{ estimate_ms: task.estimateMs ?? null, created_at: now, updated_at: now, started_at: null, ended_at: null },
    ...{ expires_at: null, ttl_ms: task.ttlMs, poll_interval_ms: task.pollIntervalMs ?? null, attempt: 0, fence: 0 },
    ...{ spend: true, idempotent: task.idempotent, max_attempts: task.maxAttempts, run_at: now },
    ...{ start_by: toStartBy(task, now) ?? null, worker: null, idempotency_key: task.idempotencyKey ?? null },
    ...{ fingerprint: draft.fingerprints?.[0] ?? null, ...texts, last_seq: 0, high_rate: 0, questions: 0 },
    ...{
      open_questions: 0,
      steps: draft.options.rerun?.steps.length ?? 0,
      losses: 0,
      ...place,
      leaving: null,
      bytes: draft.bytes,
      args: draft.argsText,
    },
  };
}

/** The record that is returned to the submitter. */
export function toCreated({ task, argsText, options }: Draft, now: number, { queue }: QueuePlace): Task {
  const { startWithinMs: _, ...kept } = task;
  const startBy = toStartBy(task, now);
  return {
    ...{
      status: 'queued',
      createdAt: now,
      updatedAt: now,
      runAt: now,
      attempt: 0,
      fence: 0,
      questions: [],
      lastSeq: 1 + (options.rerun?.steps.length ?? 0),
    },
    ...kept,
    args: JSON.parse(argsText) as Json,
    ...(queue !== null && { queue }),
    ...(startBy !== undefined && { startBy }),
  };
}

// Topics are written only when the task ends, which must not fail because of something that was known at the start.
function checkNames(task: NewTask, others: readonly string[]): void {
  const { taskId, tool, principal, identity, alias = '', idempotencyKey = '', queue = '', deliver } = task;
  for (const name of [taskId, tool, principal, identity, alias, idempotencyKey, queue, ...others]) checkText(name);
  for (const { topic } of deliver) checkText(topic);
}

function toText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
