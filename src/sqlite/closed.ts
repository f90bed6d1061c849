/**
 * Stores that a copy has closed: the one it came from, and, until all is there, the one it goes to.
 *
 * Their schema version is raised beyond any that a build could know. Every write looks at the version anyway, so whoever
 * still has the store open is refused at once, builds that know nothing of copies included.
 */
import { TaskError } from '../errors.ts';

const CLOSED = 1_000_000;

/** The version of a closed store. */
export function toClosedVersion(version: number): number {
  return isClosedVersion(version) ? version : version + CLOSED;
}

/** The version that its tables have. */
export function toOpenVersion(version: number): number {
  return isClosedVersion(version) ? version - CLOSED : version;
}

export function isClosedVersion(version: number): boolean {
  return version >= CLOSED;
}

/** What a copy has written into a store: which one it is, and where it comes from or goes to. */
export interface CopyMark {
  readonly role: 'source' | 'target';
  readonly copy: string;
  /** The other store, without a password. */
  readonly other: string;
  readonly state: 'going' | 'done';
}

/** The table of these marks; only stores that were copied have it. `@` stands for what names a schema, if there are any. */
export const COPY_TABLE = `CREATE TABLE IF NOT EXISTS @copy (role text PRIMARY KEY, copy text NOT NULL, other text NOT NULL,
  state text NOT NULL, at bigint NOT NULL, progress text)`;

/** Which of the marks has closed the store. */
export const READ_MARKS = 'SELECT role, copy, other, state FROM @copy ORDER BY role';

/** Why a closed store cannot be used, and what can be done. */
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
