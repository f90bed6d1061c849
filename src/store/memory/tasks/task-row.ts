import { type EventBody, isHighRate, KEPT_HIGH_RATE_EVENTS, type TaskEvent } from '../../../task/event.ts';
import type { Json } from '../../../task/json.ts';
import type { Outcome } from '../../../task/outcome.ts';
import type { Task } from '../../../task/record.ts';
import { type NamedTexts, toBodyText, toEventBytes, toTaskBytes } from '../../stored-bytes.ts';

/** What the store keeps of one task. `task` is frozen and replaced, never changed. */
export interface TaskRow {
  /** Rises in the order of creation. */
  readonly row: number;
  /** Of the arguments, which a tombstone no longer has. */
  readonly fingerprint: string;
  task: Task;
  /** Whether the next claim costs an attempt. */
  countsAsAttempt: boolean;
  /** Whether an earlier task is in the same queue. */
  behind: boolean;
  /** The worker that is still running the task although it has ended. */
  leaving?: string | undefined;
  readonly steps: Map<string, Json>;
  /** Artifact pieces, by their place. */
  readonly artifacts: Map<string, string>;
  events: TaskEvent[];
  highRate: number;
  /** How much it counts for its principal; see `stored-bytes.ts`. */
  bytes: number;
}

/** How many bytes a new task counts, without its first event. */
export function toNewBytes(task: Task): number {
  const { deliver, trace } = task;
  const delivered = deliver.length === 0 ? null : JSON.stringify(deliver);
  return toTaskBytes(toNamed(task), JSON.stringify(task.args), delivered, trace ? JSON.stringify(trace) : null);
}

export function toTombstoneBytes(task: Task, outcome: Outcome): number {
  return toTaskBytes(toNamed(task), JSON.stringify(outcome));
}

function toNamed({ alias, idempotencyKey: key, labels }: Task): NamedTexts {
  return { alias, key, labels: labels ? JSON.stringify(labels) : null };
}

// Trimming copies the list, so it waits until a tenth more than the limit has accumulated.
const TRIMMED_AT = KEPT_HIGH_RATE_EVENTS * 1.1;

/** Numbers the events after the newest one and stores them; returns by how many bytes the task has grown. */
export function appendEvents(row: TaskRow, bodies: readonly EventBody[], at: number): number {
  let seq = row.task.lastSeq;
  let bytes = 0;
  for (const body of bodies) {
    seq += 1;
    row.events.push(Object.freeze({ ...body, seq, at }));
    bytes += toEventBytes(toBodyText(body));
    if (isHighRate(body.type)) row.highRate += 1;
  }
  return row.highRate > TRIMMED_AT ? bytes - trimEvents(row).bytes : bytes;
}

/** Deletes the oldest high-rate events beyond the limit; returns how many were deleted, and their size. */
export function trimEvents(row: TaskRow): { events: number; bytes: number } {
  const surplus = Math.max(0, row.highRate - KEPT_HIGH_RATE_EVENTS);
  let left = surplus;
  let bytes = 0;
  row.events = row.events.filter((event) => {
    if (!isHighRate(event.type) || left-- <= 0) return true;
    const { seq: _seq, at: _at, ...body } = event;
    bytes += toEventBytes(toBodyText(body as EventBody));
    return false;
  });
  row.highRate -= surplus;
  return { events: surplus, bytes };
}

/** Events after `afterSeq`, at most `limit`. */
export function readEvents(row: TaskRow, afterSeq: number, limit: number): TaskEvent[] {
  // Trimming leaves gaps, so the index of an event is never higher than its number.
  let place = Math.min(Math.max(0, afterSeq), row.events.length);
  while (place > 0 && (row.events[place - 1] as TaskEvent).seq > afterSeq) place -= 1;
  return row.events.slice(place, place + limit);
}
