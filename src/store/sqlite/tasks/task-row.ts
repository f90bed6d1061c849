/** The columns of a task, and rows of them. */
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Status } from '../../../task/status.ts';

/** What verbs on a stored task decide from; leaves out what can be long. */
export const WORK_COLUMNS = `row, id, tool, identity, status, status_message, progress, started_at, ttl_ms, attempt,
  fence, spend, idempotent, max_attempts, run_at, worker, deliver, last_seq, high_rate, questions, open_questions, steps,
  principal`;

export interface WorkRow {
  readonly row: number;
  readonly id: string;
  readonly tool: string;
  readonly identity: string;
  readonly status: Status;
  readonly status_message: string | null;
  readonly progress: string | null;
  readonly started_at: number | null;
  readonly ttl_ms: number | null;
  readonly attempt: number;
  readonly fence: number;
  readonly spend: number;
  readonly idempotent: number;
  readonly max_attempts: number;
  readonly run_at: number;
  readonly worker: string | null;
  readonly deliver: string | null;
  readonly last_seq: number;
  readonly high_rate: number;
  readonly questions: number;
  readonly open_questions: number;
  readonly steps: number;
  readonly principal: string;
}

export const TASK_COLUMNS = `${WORK_COLUMNS}, alias, estimate_ms, created_at, updated_at, ended_at, expires_at,
  poll_interval_ms, idempotency_key, trace, tombstone_at, args, outcome,
  labels, losses, start_by`;

export interface TaskRow extends WorkRow {
  readonly alias: string | null;
  readonly estimate_ms: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
  readonly expires_at: number | null;
  /** 0 when the tool's owner set none. */
  readonly poll_interval_ms: number;
  readonly idempotency_key: string | null;
  readonly trace: string | null;
  readonly tombstone_at: number | null;
  readonly args: string | null;
  readonly outcome: string | null;
  readonly labels: string | null;
  readonly losses: number;
  readonly start_by: number | null;
}

/** Reads `WORK_COLUMNS`, in their order. */
export function toWorkRow(values: readonly SqliteValue[]): WorkRow {
  return {
    row: values[0] as WorkRow['row'],
    id: values[1] as WorkRow['id'],
    tool: values[2] as WorkRow['tool'],
    identity: values[3] as WorkRow['identity'],
    status: values[4] as WorkRow['status'],
    status_message: values[5] as WorkRow['status_message'],
    progress: values[6] as WorkRow['progress'],
    started_at: values[7] as WorkRow['started_at'],
    ttl_ms: values[8] as WorkRow['ttl_ms'],
    attempt: values[9] as WorkRow['attempt'],
    fence: values[10] as WorkRow['fence'],
    spend: values[11] as WorkRow['spend'],
    idempotent: values[12] as WorkRow['idempotent'],
    max_attempts: values[13] as WorkRow['max_attempts'],
    run_at: values[14] as WorkRow['run_at'],
    worker: values[15] as WorkRow['worker'],
    deliver: values[16] as WorkRow['deliver'],
    last_seq: values[17] as WorkRow['last_seq'],
    high_rate: values[18] as WorkRow['high_rate'],
    questions: values[19] as WorkRow['questions'],
    open_questions: values[20] as WorkRow['open_questions'],
    steps: values[21] as WorkRow['steps'],
    principal: values[22] as WorkRow['principal'],
  };
}

// One literal, not a spread of the other: objects made in one go stay fast.
/** Reads `TASK_COLUMNS`, in their order. */
export function toTaskRow(values: readonly SqliteValue[]): TaskRow {
  return {
    row: values[0] as WorkRow['row'],
    id: values[1] as WorkRow['id'],
    tool: values[2] as WorkRow['tool'],
    identity: values[3] as WorkRow['identity'],
    status: values[4] as WorkRow['status'],
    status_message: values[5] as WorkRow['status_message'],
    progress: values[6] as WorkRow['progress'],
    started_at: values[7] as WorkRow['started_at'],
    ttl_ms: values[8] as WorkRow['ttl_ms'],
    attempt: values[9] as WorkRow['attempt'],
    fence: values[10] as WorkRow['fence'],
    spend: values[11] as WorkRow['spend'],
    idempotent: values[12] as WorkRow['idempotent'],
    max_attempts: values[13] as WorkRow['max_attempts'],
    run_at: values[14] as WorkRow['run_at'],
    worker: values[15] as WorkRow['worker'],
    deliver: values[16] as WorkRow['deliver'],
    last_seq: values[17] as WorkRow['last_seq'],
    high_rate: values[18] as WorkRow['high_rate'],
    questions: values[19] as WorkRow['questions'],
    open_questions: values[20] as WorkRow['open_questions'],
    steps: values[21] as WorkRow['steps'],
    principal: values[22] as WorkRow['principal'],
    alias: values[23] as TaskRow['alias'],
    estimate_ms: values[24] as TaskRow['estimate_ms'],
    created_at: values[25] as TaskRow['created_at'],
    updated_at: values[26] as TaskRow['updated_at'],
    ended_at: values[27] as TaskRow['ended_at'],
    expires_at: values[28] as TaskRow['expires_at'],
    poll_interval_ms: values[29] as TaskRow['poll_interval_ms'],
    idempotency_key: values[30] as TaskRow['idempotency_key'],
    trace: values[31] as TaskRow['trace'],
    tombstone_at: values[32] as TaskRow['tombstone_at'],
    args: values[33] as TaskRow['args'],
    outcome: values[34] as TaskRow['outcome'],
    labels: values[35] as TaskRow['labels'],
    losses: values[36] as TaskRow['losses'],
    start_by: values[37] as TaskRow['start_by'],
  };
}
