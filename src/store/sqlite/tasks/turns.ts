/**
 * Whose turn it is, read from the `turn` table a page at a time.
 *
 * A claim reads as many principals as it has slots, and as many tasks of each as it may get, so a long queue or a crowd of
 * principals costs it nothing.
 */
import type { Database } from '../../../sqlite/database.ts';
import { compareBytes } from '../../compare-bytes.ts';
import type { ClaimRequest } from '../../contracts/task-contract.ts';
import type { Contender, Runnable, RunnableQueue } from '../../take-turns.ts';
import type { Transaction } from '../rows.ts';
import { findNewestEvent } from './queue-gauge.ts';
import { TASK_COLUMNS, type TaskRow, toTaskRow } from './task-row.ts';

const NEXT = `SELECT principal, served FROM turn WHERE identity = ? AND tool = ? AND (served, principal) > (?, ?)
  ORDER BY served, principal LIMIT ? + 0`;
const DUE = `status = 'queued' AND identity = ?1 AND principal = ?2 AND tool = ?3 AND behind = 0
  AND run_at <= ?4`;
// The condition of `isLate`, negated.
const IN_TIME = '(start_by IS NULL OR start_by > ?4)';
const RUNNABLE = `SELECT ${TASK_COLUMNS} FROM task WHERE ${DUE} AND ${IN_TIME} AND (run_at, row) > (?5, ?6)
  ORDER BY run_at, row LIMIT ? + 0`;
const ANY_RUNNABLE = `SELECT tool, run_at AS runAt, row FROM task WHERE ${DUE} AND ${IN_TIME} AND losses <= ?5 LIMIT 1`;
const LAST_SERVED = 'SELECT principal FROM usage WHERE identity = ? AND served > 0 ORDER BY served DESC LIMIT 1';
const SERVE = 'UPDATE usage SET served = ? WHERE principal = ? AND identity = ?';
const MOVE_BACK = 'UPDATE turn SET served = ? WHERE identity = ? AND principal = ?';
const CLOSE = `DELETE FROM turn WHERE identity = ?1 AND principal = ?2 AND tool = ?3 AND NOT EXISTS
  (SELECT 1 FROM task WHERE status = 'queued' AND identity = ?1 AND principal = ?2 AND tool = ?3 AND behind = 0)`;

/** A queued task that is due, with its row. */
export interface DueTask extends Runnable {
  readonly task: TaskRow;
}

/** What a claim has read. */
export interface SeenTurns {
  /** How many principals had a turn in the first pages read. */
  principalCount: number;
  readonly contenders: { readonly principal: string; readonly queues: readonly DueQueue[] }[];
}

/** Yields principals with a turn, longest unserved first, and adds them to `seen`. */
export function* walkContenders(
  tx: Transaction,
  request: ClaimRequest,
  seen: SeenTurns,
): Generator<Contender<DueTask>> {
  const { identity, max } = request;
  const pages = openPages(tx.db, request);
  const principalCount = new Set(pages.flatMap((page) => page.loaded())).size;
  seen.principalCount = principalCount;
  // Each principal's share of the slots, in tasks.
  const size = Math.ceil(max / Math.max(1, principalCount));
  for (let next = takeNext(pages); next; next = takeNext(pages)) {
    const { principal } = next;
    const queues = next.tools.map((tool) => new DueQueue(tx, { identity, principal, tool, size }));
    seen.contenders.push({ principal, queues });
    yield { principal, queues };
  }
}

/** Like `walkContenders`, but only checks whether tasks exist, without reading their records. */
export function* peekContenders(tx: Transaction, request: ClaimRequest): Generator<Contender<Runnable>> {
  const { db, now } = tx;
  const pages = openPages(db, request);
  const { suspects } = request;
  const losses = suspects === undefined || suspects.max > 0 ? Number.MAX_SAFE_INTEGER : suspects.losses - 1;
  for (let next = takeNext(pages); next; next = takeNext(pages)) {
    const { principal } = next;
    const queues = next.tools.map((tool) => {
      const first = db.get<Runnable>(ANY_RUNNABLE, request.identity, principal, tool, now, losses);
      return { tool, first: () => first, shift: () => {} };
    });
    yield { principal, queues };
  }
}

function openPages(db: Database, { identity, free, max }: ClaimRequest): TurnPages[] {
  const tools = Object.keys(free).filter((tool) => (free[tool] ?? 0) > 0);
  return tools.map((tool) => new TurnPages(db, { identity, tool, size: max + 1 }));
}

/**
 * Moves principals to the end of every queue they wait in, in the order of the last task each was given. A principal that
 * was also the last one served before is there already.
 */
export function markServed(db: Database, identity: string, served: readonly string[]): void {
  const [first] = served;
  const isAlone = served.every((principal) => principal === first);
  if (first === undefined) return;
  if (isAlone && db.get<{ principal: string }>(LAST_SERVED, identity)?.principal === first) return;
  // Every task given has written an event, so these numbers are higher than all earlier ones.
  const before = findNewestEvent(db) - served.length;
  const places = new Map(served.map((principal, place) => [principal, before + 1 + place]));
  for (const [principal, place] of places) {
    db.run(SERVE, place, principal, identity);
    db.run(MOVE_BACK, place, identity, principal);
  }
}

/**
 * Removes turns for which nothing is queued any more, not even for later; the next task of a queue restores them. While
 * there is only one principal, its turns that had a task are kept: its next task would restore them at once, and one unused
 * turn costs little. They are removed as soon as there is another principal.
 */
export function closeTurns(db: Database, identity: string, { principalCount, contenders }: SeenTurns): void {
  for (const { principal, queues } of contenders) {
    for (const queue of queues) {
      const isKept = principalCount === 1 && queue.hasServed;
      if (queue.isExhausted && !isKept) db.run(CLOSE, identity, principal, queue.tool);
    }
  }
}

interface TurnRow {
  readonly principal: string;
  readonly served: number;
}

/** The turns for one tool. */
class TurnPages {
  readonly tool: string;
  readonly #db: Database;
  readonly #identity: string;
  readonly #size: number;
  #rows: TurnRow[];
  #place = 0;
  #isLast: boolean;

  constructor(db: Database, { identity, tool, size }: { identity: string; tool: string; size: number }) {
    this.tool = tool;
    this.#db = db;
    this.#identity = identity;
    this.#size = size;
    this.#rows = this.#read({ served: -1, principal: '' });
    this.#isLast = this.#rows.length < size;
  }

  loaded(): string[] {
    return this.#rows.map(({ principal }) => principal);
  }

  get head(): TurnRow | undefined {
    if (this.#place === this.#rows.length && !this.#isLast) this.#readNextPage();
    return this.#rows[this.#place];
  }

  shift(): void {
    this.#place += 1;
  }

  #readNextPage(): void {
    const last = this.#rows.at(-1);
    this.#rows = last ? this.#read(last) : [];
    this.#isLast = this.#rows.length < this.#size;
    this.#place = 0;
  }

  #read(after: TurnRow): TurnRow[] {
    return this.#db.all<TurnRow>(NEXT, this.#identity, this.tool, after.served, after.principal, this.#size);
  }
}

/** The principal that is next in any of the queues, and the tools it waits for. */
function takeNext(pages: readonly TurnPages[]): { principal: string; tools: string[] } | undefined {
  let next: TurnRow | undefined;
  for (const { head } of pages) if (head && (!next || isBefore(head, next))) next = head;
  if (next === undefined) return undefined;
  const { principal } = next;
  const mine = pages.filter(({ head }) => head?.principal === principal);
  for (const page of mine) page.shift();
  return { principal, tools: mine.map(({ tool }) => tool) };
}

function isBefore(a: TurnRow, b: TurnRow): boolean {
  return a.served === b.served ? compareBytes(a.principal, b.principal) < 0 : a.served < b.served;
}

/** The due tasks of one principal for one tool. */
class DueQueue implements RunnableQueue<DueTask> {
  readonly tool: string;
  readonly #tx: Transaction;
  readonly #of: { readonly identity: string; readonly principal: string; readonly size: number };
  #tasks: DueTask[];
  #place = 0;
  #isLast: boolean;

  constructor(tx: Transaction, of: { identity: string; principal: string; tool: string; size: number }) {
    this.tool = of.tool;
    this.#tx = tx;
    this.#of = of;
    this.#tasks = this.#read({ runAt: Number.MIN_SAFE_INTEGER, row: 0 });
    this.#isLast = this.#tasks.length < of.size;
  }

  /** Whether no more tasks are due. */
  get isExhausted(): boolean {
    return this.#isLast && this.#place === this.#tasks.length;
  }

  /** Whether any task was due. */
  get hasServed(): boolean {
    return this.#tasks.length > 0;
  }

  first(): DueTask | undefined {
    if (this.#place === this.#tasks.length && !this.#isLast) this.#readNextPage();
    return this.#tasks[this.#place];
  }

  shift(): void {
    this.#place += 1;
  }

  #readNextPage(): void {
    const last = this.#tasks.at(-1);
    this.#tasks = last ? this.#read(last) : [];
    this.#isLast = this.#tasks.length < this.#of.size;
    this.#place = 0;
  }

  #read(after: { readonly runAt: number; readonly row: number }): DueTask[] {
    const { identity, principal, size } = this.#of;
    const { db, now } = this.#tx;
    const rows = db.arrays(RUNNABLE, identity, principal, this.tool, now, after.runAt, after.row, size);
    return rows.map((values) => {
      const task = toTaskRow(values);
      return { tool: task.tool, runAt: task.run_at, row: task.row, losses: task.losses, task };
    });
  }
}
