/**
 * How many bytes a task counts against its principal's storage limit.
 *
 * Texts count by their length in UTF-8, rows by roughly what SQLite needs for them and their index entries; the size of a
 * task row includes the events of its claims, which are not counted one by one. What a task has written counts until it is
 * trimmed or the task expires; the tombstone counts as long as it is kept.
 */
import type { EventBody } from '../task/event.ts';
import type { FinishedStep } from './contracts/task-contract.ts';

const TASK_BYTES = 1024;
const EVENT_BYTES = 48;

/** The names and labels of a task; its tombstone keeps them. */
export interface NamedTexts {
  readonly alias?: string | null | undefined;
  readonly key?: string | null | undefined;
  readonly labels: string | null;
}

/** How much a task or tombstone with these payloads counts for its principal. */
export function toTaskBytes({ alias, key, labels }: NamedTexts, ...payloads: readonly (string | null)[]): number {
  return TASK_BYTES + toTextBytes(alias, key, labels, ...payloads);
}

/** How much an event counts for its principal. */
export function toEventBytes(bodyText: string | null): number {
  return EVENT_BYTES + toTextBytes(bodyText);
}

/** How much finished steps count for their principal. */
export function toStepBytes(steps: readonly FinishedStep[]): number {
  return steps.reduce((bytes, { name, value }) => bytes + toTextBytes(name, JSON.stringify(value)), 0);
}

/** How much texts count for their principal. */
export function toTextBytes(...texts: readonly (string | null | undefined)[]): number {
  let bytes = 0;
  for (const text of texts) if (text) bytes += Buffer.byteLength(text);
  return bytes;
}

/** The part of an event that has no column of its own. Cut from the text: taking the object apart costs much more. */
export function toBodyText(body: EventBody): string | null {
  const text = JSON.stringify(body);
  const type = `{"type":"${body.type}"`;
  if (!text.startsWith(type)) return text;
  return text.length === type.length + 1 ? null : `{${text.slice(type.length + 1)}`;
}
