/**
 * Copies everything in a store to another store, of the same or the other kind.
 *
 * source: open ──▶ closed (nobody writes) ───────────────────────────────▶ closed for good, or reopened
 * target: empty ───────▶ closed, filled page by page ──▶ compared ──▶ open
 *
 * The source is closed before its first row is read, so its rows cannot change meanwhile, and an interrupted copy continues
 * after its last page. Each page is written in one transaction of the target together with the progress.
 */
import { createHash, randomUUID } from 'node:crypto';
import { crashPoint } from '../../crash-point.ts';
import { TaskError } from '../../errors.ts';
import type { CopyMark } from '../../sqlite/closed.ts';
import type { CopySide, Progress } from './side.ts';
import { COPY_TABLES, type CopyTable } from './tables.ts';

/** Row count and hash of one table. */
export interface TableSum {
  readonly rows: number;
  /** SHA-256 of all rows in their order. */
  readonly hash: string;
}

export interface Copied {
  /** By table; equal in both stores. */
  readonly tables: Readonly<Record<string, TableSum>>;
  /** Whether the copy had been completed before. */
  readonly wasDone: boolean;
}

export interface CopyOptions {
  /** The time of the source, for the mark that closes it. */
  readonly now: () => number;
  onTable?(name: string, rows: number): void;
}

/** Copies `from` to `to`, or completes an interrupted copy. */
export async function copyStore(from: CopySide, to: CopySide, options: CopyOptions): Promise<Copied> {
  const source = (await from.mark('source')) ?? (await close(from, to, options));
  const target = await to.mark('target');
  if (source.other !== to.place && target?.copy !== source.copy) throw otherTargetError(from, source);
  if (target?.copy === source.copy && target.state === 'done') {
    await from.finish('source');
    return { tables: {}, wasDone: true };
  }
  if (target !== undefined && target.copy !== source.copy) throw notEmptyError(to, from);
  if (target === undefined) await begin(from, to, source);
  await to.keepKeys(await from.keys());
  await fill(from, to, target?.progress ?? { tables: 0 });
  const tables = await compare(from, to, options);
  // The target first: if the process is killed between the two, the next run finds the target complete and only marks the
  // source.
  await to.finish('target');
  crashPoint('copy-finish');
  await from.finish('source');
  return { tables, wasDone: false };
}

async function close(from: CopySide, to: CopySide, { now }: CopyOptions): Promise<CopyMark & { readonly at: number }> {
  if ((await to.mark('target')) !== undefined || !(await to.isEmpty())) throw notEmptyError(to, from);
  const mark = { copy: randomUUID(), other: to.place, at: now() };
  if (!(await from.close(mark))) {
    throw new TaskError(
      'STORE_LOCKED',
      `${from.place}: a worker has begun to work on it; stop what serves it, and try again`,
    );
  }
  crashPoint('copy-close');
  return { role: 'source', state: 'going', ...mark };
}

async function begin(from: CopySide, to: CopySide, { copy, at }: CopyMark & { readonly at: number }): Promise<void> {
  if (!(await to.begin({ copy, other: from.place, at }))) throw notEmptyError(to, from);
}

async function fill(from: CopySide, to: CopySide, done: Progress): Promise<void> {
  let { after } = done;
  for (const [place, table] of COPY_TABLES.entries()) {
    if (place < done.tables) continue;
    for (;;) {
      const { rows, last } = await from.read(table, after);
      if (last === undefined) break;
      await to.write(table, rows, { tables: place, after: last });
      crashPoint(`copy-${table.name}`);
      after = last;
    }
    after = undefined;
    await to.write(table, [], { tables: place + 1 });
  }
}

/** Reads both stores again, from the first row to the last, and compares them. */
async function compare(from: CopySide, to: CopySide, { onTable }: CopyOptions): Promise<Record<string, TableSum>> {
  const sums: Record<string, TableSum> = {};
  for (const table of COPY_TABLES) {
    const [wanted, found] = [await hashTable(from, table), await hashTable(to, table)];
    if (wanted.rows !== found.rows || wanted.hash !== found.hash) throw differError(to, table, [wanted, found]);
    sums[table.name] = found;
    onTable?.(table.name, found.rows);
  }
  return sums;
}

async function hashTable(side: CopySide, table: CopyTable): Promise<TableSum> {
  const hash = createHash('sha256');
  let rows = 0;
  for (
    let page = await side.read(table, undefined);
    page.last !== undefined;
    page = await side.read(table, page.last)
  ) {
    rows += page.rows.length;
    for (const row of page.rows) hash.update(JSON.stringify(row)).update('\n');
  }
  return { rows, hash: hash.digest('hex') };
}

function differError(to: CopySide, { name }: CopyTable, [wanted, found]: readonly [TableSum, TableSum]): TaskError {
  const counts =
    wanted.rows === found.rows ? `${found.rows} rows, not the same` : `${found.rows} rows of ${wanted.rows}`;
  const remedy = 'it stays closed; remove it, and copy into an empty one';
  return new TaskError('STORE_FAILED', `${to.place} differs from what was copied (${name}: ${counts}); ${remedy}`);
}

function notEmptyError(to: CopySide, from: CopySide): TaskError {
  const message = `${to.place} is not empty, and not of a copy of ${from.place}; choose an empty store`;
  return new TaskError('STORE_FOREIGN', message);
}

function otherTargetError(from: CopySide, { other }: CopyMark): TaskError {
  const remedy = 'name that one, or give that copy up with: holdfast store reopen';
  return new TaskError('STORE_MOVED', `${from.place} is being copied, or was copied, to ${other}; ${remedy}`);
}
