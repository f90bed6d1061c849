import { type EventBody, isHighRate, KEPT_HIGH_RATE_EVENTS, type TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';

/** What the store keeps of one task. `task` is frozen and replaced, never changed. */
export interface TaskRow {
  /** Rises in the order of creation. */
  readonly row: number;
  /** Of the arguments, which are gone from a tombstone. */
  readonly fingerprint: string;
  task: Task;
  /** Whether the next claim costs an attempt. */
  spend: boolean;
  readonly steps: Map<string, Json>;
  events: TaskEvent[];
  highRate: number;
}

// Trimming copies the list, so it waits until a tenth is to go.
const TRIMMED_AT = KEPT_HIGH_RATE_EVENTS * 1.1;

/** Numbers the events after the newest one and keeps them. */
export function appendEvents(row: TaskRow, bodies: readonly EventBody[], at: number): void {
  let seq = row.task.lastSeq;
  for (const body of bodies) {
    seq += 1;
    row.events.push(Object.freeze({ ...body, seq, at }));
    if (isHighRate(body.type)) row.highRate += 1;
  }
  if (row.highRate > TRIMMED_AT) trimEvents(row);
}

/** Drops the oldest high-rate events beyond those that are kept; returns how many went. */
export function trimEvents(row: TaskRow): number {
  const surplus = row.highRate - KEPT_HIGH_RATE_EVENTS;
  if (surplus <= 0) return 0;
  let left = surplus;
  row.events = row.events.filter((event) => !isHighRate(event.type) || left-- <= 0);
  row.highRate -= surplus;
  return surplus;
}

/** Events after `afterSeq`, at most `limit`. */
export function readEvents(row: TaskRow, afterSeq: number, limit: number): TaskEvent[] {
  // Trimming leaves holes, so an event is never further along than its number says.
  let place = Math.min(Math.max(0, afterSeq), row.events.length);
  while (place > 0 && (row.events[place - 1] as TaskEvent).seq > afterSeq) place -= 1;
  return row.events.slice(place, place + limit);
}
