/**
 * Rewrites texts throughout a database in small steps, while other processes use it.
 *
 * The new texts are computed without a lock. Each text is then changed only if it is still the text that was read, so a
 * process that is killed halfway leaves every text either old or new, and the next run continues.
 */
import { isTaskError, TaskError } from '../errors.ts';
import type { Database } from './database.ts';
import type { SqliteValue } from './driver.ts';
import type { Writer } from './writer.ts';

/** One text and its replacement. */
export interface TextChange {
  /** `UPDATE … SET column = ?1 WHERE column = ?2 AND …`; `where` has the remaining values. */
  readonly sql: string;
  readonly from: string;
  readonly to: string;
  readonly where: readonly SqliteValue[];
}

/** Rows that may contain texts to rewrite. */
export interface TextSource<Row extends { readonly cursor: number }> {
  /** Selects the rows after a cursor, in its order: `… > ? ORDER BY … LIMIT ? + 0`. */
  readonly page: string;
  /** The changes for one row; throws a `TaskError` when the row cannot be decoded. */
  toChanges(row: Row): Promise<readonly TextChange[]>;
}

/** How many rows of a database were rewritten, and how many could not be. */
export interface Rewritten {
  readonly changed: number;
  /** How many rows could not be decoded; `failure` is the error of the first one. */
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

/** Goes through all sources until no text was changed by another process between its read and its update. */
// biome-ignore lint/suspicious/noExplicitAny: each source knows its own rows
export async function rewriteTexts(sources: readonly TextSource<any>[], options: RewriteOptions): Promise<Rewritten> {
  let changed = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const counts = { changed: 0, missed: 0, failed: 0, failure: undefined as TaskError | undefined };
    for (const source of sources) await rewriteSource(source, options, counts);
    changed += counts.changed;
    const { missed, failed, failure } = counts;
    if (missed === 0) return { changed, failed, ...(failure && { failure }) };
  }
  const message = `${options.db.path} is written to faster than it can be gone through; try again when it is less busy`;
  throw new TaskError('STORE_LOCKED', message);
}

interface RewriteCounts {
  changed: number;
  missed: number;
  failed: number;
  failure: TaskError | undefined;
}

async function rewriteSource<Row extends { readonly cursor: number }>(
  source: TextSource<Row>,
  { db, writer, name }: RewriteOptions,
  counts: RewriteCounts,
): Promise<void> {
  for (let cursor = 0; ; ) {
    const rows = db.all<Row>(source.page, cursor, PAGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    const changes: TextChange[] = [];
    for (const row of rows) changes.push(...(await collect(source, row, counts)));
    if (changes.length > 0) {
      const done = await writer.run(name, (tx) => apply(tx, changes));
      counts.changed += done;
      counts.missed += changes.length - done;
    }
    cursor = last.cursor;
  }
}

async function collect<Row extends { readonly cursor: number }>(
  source: TextSource<Row>,
  row: Row,
  counts: RewriteCounts,
): Promise<readonly TextChange[]> {
  try {
    return await source.toChanges(row);
  } catch (error) {
    if (!isTaskError(error)) throw error;
    counts.failed += 1;
    counts.failure ??= error;
    return [];
  }
}

function apply(db: Database, changes: readonly TextChange[]): number {
  return changes.reduce((done, { sql, from, to, where }) => done + db.run(sql, to, from, ...where), 0);
}
