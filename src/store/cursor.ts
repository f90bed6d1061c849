import { TaskError } from '../errors.ts';

/** A position in the order of creation, as text: the page continues after the task with this row. */
export function toCursor(row: number): string {
  return row.toString(36);
}

/** The row that a cursor encodes; throws `INVALID_ARGUMENT` when it is not a cursor. */
export function parseCursor(cursor: string): number {
  const row = Number.parseInt(cursor, 36);
  if (Number.isSafeInteger(row) && toCursor(row) === cursor) return row;
  throw new TaskError(
    'INVALID_ARGUMENT',
    `cursor is ${JSON.stringify(cursor)}; expected what an earlier page returned`,
  );
}
