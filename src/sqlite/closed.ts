/**
 * Stores that a copy has closed: the source, and, until the copy is complete, the target.
 *
 * Their schema version is raised above any version that a build could know. Every write checks the version anyway, so
 * processes that still have the store open are refused at once, including builds that do not know about copies.
 */
import { TaskError } from '../errors.ts';

const CLOSED = 1_000_000;

/** The schema version of a store while it is closed. */
export function toClosedVersion(version: number): number {
  return isClosedVersion(version) ? version : version + CLOSED;
}

/** The schema version of a store's tables, closed or not. */
export function toOpenVersion(version: number): number {
  return isClosedVersion(version) ? version - CLOSED : version;
}

export function isClosedVersion(version: number): boolean {
  return version >= CLOSED;
}

/** The mark of a copy in a store: the copy's id, and the store at its other end. */
export interface CopyMark {
  readonly role: 'source' | 'target';
  readonly copy: string;
  /** The address of the other store, without a password. */
  readonly other: string;
  readonly state: 'going' | 'done';
}

/** The table of these marks; only stores that were copied have it. `@` is replaced by the schema prefix, if there is one. */
export const COPY_TABLE = `CREATE TABLE IF NOT EXISTS @copy (role text PRIMARY KEY, copy text NOT NULL, other text NOT NULL,
  state text NOT NULL, at bigint NOT NULL, progress text)`;

/** Reads the marks, to find the one that closed the store. */
export const READ_MARKS = 'SELECT role, copy, other, state FROM @copy ORDER BY role';

/** The error for a closed store: why it cannot be used, and what to do. */
export function movedError(place: string, marks: readonly CopyMark[]): TaskError {
  return new TaskError('STORE_MOVED', `${place} ${toReason(marks)}`);
}

function toReason(marks: readonly CopyMark[]): string {
  const source = marks.find(({ role }) => role === 'source');
  if (source?.state === 'done') {
    return `was copied to ${source.other}; use that one, or open this one again with: holdfast store reopen`;
  }
  if (source) {
    return `is being copied to ${source.other}; complete that with: holdfast store copy, or give it up with: holdfast store reopen`;
  }
  const from = marks.find(({ role }) => role === 'target')?.other ?? 'another store';
  return `is being filled from ${from}; complete that with: holdfast store copy`;
}
