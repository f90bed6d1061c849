/**
 * Rewrites texts all over a database in small steps, beside whoever works on it.
 *
 * What is to be written is worked out without a lock. Each text is then changed only if it is still what was read, so a
 * process that is killed on the way leaves every text either as it was or as it shall be, and the next one goes on.
 */
import { isTaskError, TaskError } from '../errors.ts';
import type { Database } from './database.ts';
import type { SqliteValue } from './driver.ts';
import type { Writer } from './writer.ts';

/** One text that is to be another. */
export interface TextChange {
  /** `UPDATE … SET column = ?1 WHERE column = ?2 AND …`, with the values of the rest. */
  readonly sql: string;
  readonly from: string;
  readonly to: string;
  readonly where: readonly SqliteValue[];
}

/** Rows that may hold such texts. */
export interface TextSource<Row extends { readonly cursor: number }> {
  /** Rows after a cursor, in its order: `… > ? ORDER BY … LIMIT ? + 0`. */
  readonly page: string;
  /** What is to change in a row; throws a `TaskError` when that cannot be told. */
  toChanges(row: Row): Promise<readonly TextChange[]>;
}

/** What became of the rows of a file that was encoded anew. */
export interface Rewritten {
  readonly changed: number;
  /** Rows that could not be read, and why the first one could not. */
  readonly failed: number;
  readonly failure?: TaskError;
}

interface RewriteOptions {
  readonly db: Database;
  readonly writer: Writer;
  /** Names the crash points of each step. */
  readonly name: string;
}

const PAGE = 200;
const MAX_PASSES = 10;

/** Goes through all sources until nothing that was read had changed meanwhile. */
// biome-ignore lint/suspicious/noExplicitAny: each source knows its own rows
export async function rewriteTexts(sources: readonly TextSource<any>[], options: RewriteOptions): Promise<Rewritten> {
  let changed = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const tally = { changed: 0, missed: 0, failed: 0, failure: undefined as TaskError | undefined };
    for (const source of sources) await rewriteSource(source, options, tally);
    changed += tally.changed;
    const { missed, failed, failure } = tally;
    if (missed === 0) return { changed, failed, ...(failure && { failure }) };
  }
  const message = `${options.db.path} is written to faster than it can be gone through; try again when it is less busy`;
  throw new TaskError('STORE_LOCKED', message);
}

interface Tally {
  changed: number;
  missed: number;
  failed: number;
  failure: TaskError | undefined;
}

async function rewriteSource<Row extends { readonly cursor: number }>(
  source: TextSource<Row>,
  { db, writer, name }: RewriteOptions,
  tally: Tally,
): Promise<void> {
  for (let cursor = 0; ; ) {
    const rows = db.all<Row>(source.page, cursor, PAGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    const changes: TextChange[] = [];
    for (const row of rows) changes.push(...(await collect(source, row, tally)));
    if (changes.length > 0) {
      const done = await writer.run(name, (tx) => apply(tx, changes));
      tally.changed += done;
      tally.missed += changes.length - done;
    }
    cursor = last.cursor;
  }
}

async function collect<Row extends { readonly cursor: number }>(
  source: TextSource<Row>,
  row: Row,
  tally: Tally,
): Promise<readonly TextChange[]> {
  try {
    return await source.toChanges(row);
  } catch (error) {
    if (!isTaskError(error)) throw error;
    tally.failed += 1;
    tally.failure ??= error;
    return [];
  }
}

function apply(db: Database, changes: readonly TextChange[]): number {
  return changes.reduce((done, { sql, from, to, where }) => done + db.run(sql, to, from, ...where), 0);
}
