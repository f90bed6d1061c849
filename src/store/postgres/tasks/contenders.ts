/**
 * Whose turn it is, read a page at a time.
 *
 * A claim reads as many principals as it has slots, and as many tasks of each, so a long queue or a crowd of principals
 * costs it nothing. The pages of several tools may end at different positions; principals after the first of these ends are
 * not used yet, because another tool's next page could contain one that comes before them.
 */
import { compareBytes } from '../../compare-bytes.ts';
import type { ClaimRequest } from '../../contracts/task-contract.ts';
import type { Contender, Runnable } from '../../take-turns.ts';
import type { Statement } from '../transactor.ts';

const DUE = `FROM @task WHERE status = 'queued' AND identity = $1 AND tool = page.tool AND principal = page.principal
  AND NOT behind AND run_at <= $3 AND (start_by IS NULL OR start_by > $3) AND row <> ALL($4::bigint[])`;
// The condition of `isLimited`: at most as many suspects as allowed, plus as many other tasks as there are slots.
const QUEUE = `((SELECT row, run_at, losses ${DUE} AND losses < $8 ORDER BY run_at, row LIMIT $5)
  UNION ALL (SELECT row, run_at, losses ${DUE} AND losses >= $8 ORDER BY run_at, row LIMIT $9))`;
const PAGE = `SELECT page.tool, page.principal, page.served, due.row, due.run_at AS "runAt", due.losses
  FROM (SELECT wanted.tool, next.principal, next.served
      FROM unnest($2::text[], $6::bigint[], $7::text[]) AS wanted(tool, served, principal)
      CROSS JOIN LATERAL (SELECT turn.principal, turn.served FROM @turn AS turn
        WHERE turn.identity = $1 AND turn.tool = wanted.tool AND (turn.served, turn.principal) > (wanted.served, wanted.principal)
        ORDER BY turn.served, turn.principal LIMIT $5 + 1) AS next) AS page
  LEFT JOIN LATERAL ${QUEUE} AS due ON true`;

interface Place {
  readonly served: number;
  readonly principal: string;
}

export interface DueRow extends Place {
  readonly tool: string;
  readonly row: number | null;
  readonly runAt: number;
  readonly losses: number;
}

/** A turn for which no task is due, among those that were read. */
export interface EmptyTurn {
  readonly tool: string;
  readonly principal: string;
}

const MAX_LOSSES = 2_147_483_647;

/** The principals with a turn that were read so far, longest unserved first. */
export class Contenders {
  readonly #request: ClaimRequest;
  readonly #rows: DueRow[] = [];
  /** Where the page of each tool ended; `undefined` when there are no more pages. */
  readonly #ends: Map<string, Place | undefined>;

  constructor(request: ClaimRequest) {
    this.#request = request;
    const tools = Object.keys(request.free).filter((tool) => (request.free[tool] ?? 0) > 0);
    this.#ends = new Map(tools.map((tool) => [tool, { served: -1, principal: '' }]));
  }

  get hasMore(): boolean {
    return this.#open.length > 0;
  }

  /** The query for the next page of the tools whose pages ended first. `lost` are tasks that other claims have chosen. */
  toPage(now: number, lost: readonly number[]): Statement {
    const { identity, max, suspects } = this.#request;
    const next = this.#next;
    const ends = next.map(([, end]) => end);
    return [
      ...[PAGE, identity, next.map(([tool]) => tool), now, lost, max],
      ...[ends.map(({ served }) => served), ends.map(({ principal }) => principal)],
      ...[suspects?.losses ?? MAX_LOSSES, suspects === undefined ? 0 : Math.max(0, Math.min(suspects.max, max))],
    ] as unknown as Statement;
  }

  /** Adds the rows of that page. */
  add(rows: readonly DueRow[]): void {
    const next = this.#next;
    this.#rows.push(...rows);
    for (const [tool] of next) this.#ends.set(tool, this.#endOf(rows, tool));
  }

  /** The principals up to the position to which all tools were read. */
  list(): Contender<Runnable>[] {
    const horizon = this.#horizon;
    const byPrincipal = new Map<string, { place: Place; queues: Map<string, Runnable[]> }>();
    for (const row of this.#rows) {
      if (horizon && comparePlaces(row, horizon) > 0) continue;
      const { tool, principal, served } = row;
      const mine = byPrincipal.get(principal) ?? { place: { principal, served }, queues: new Map() };
      byPrincipal.set(principal, mine);
      const queue = mine.queues.get(tool) ?? [];
      mine.queues.set(tool, queue);
      if (row.row !== null) queue.push({ tool, row: row.row, runAt: row.runAt, losses: row.losses });
    }
    return [...byPrincipal.values()]
      .sort((a, b) => comparePlaces(a.place, b.place))
      .map(({ place, queues }) => ({ principal: place.principal, queues: [...queues].map(toQueue) }));
  }

  emptyTurns(): EmptyTurn[] {
    return this.#rows.filter(({ row }) => row === null).map(({ tool, principal }) => ({ tool, principal }));
  }

  /** Whether no claimable task is due, so that a new task is first. */
  get isNothingDue(): boolean {
    return !this.hasMore && this.#rows.every(({ row }) => row === null);
  }

  /** The tools whose pages ended first. */
  get #next(): (readonly [string, Place])[] {
    const horizon = this.#horizon;
    return this.#open.filter(([, end]) => horizon === undefined || comparePlaces(end, horizon) <= 0);
  }

  get #open(): (readonly [string, Place])[] {
    return [...this.#ends].flatMap(([tool, end]) => (end ? [[tool, end] as const] : []));
  }

  /** The first position at which a page ended that has a next one. */
  get #horizon(): Place | undefined {
    return this.#open.map(([, end]) => end).sort(comparePlaces)[0];
  }

  #endOf(rows: readonly DueRow[], tool: string): Place | undefined {
    const mine = rows.filter((row) => row.tool === tool);
    const principals = new Set(mine.map(({ principal }) => principal));
    if (principals.size <= this.#request.max) return undefined;
    return mine.toSorted(comparePlaces).at(-1);
  }
}

function toQueue([tool, due]: [string, Runnable[]]) {
  const ready = due.toSorted((a, b) => a.runAt - b.runAt || a.row - b.row);
  return { tool, first: () => ready[0], shift: () => void ready.shift() };
}

function comparePlaces(a: Place, b: Place): number {
  return a.served - b.served || compareBytes(a.principal, b.principal);
}
