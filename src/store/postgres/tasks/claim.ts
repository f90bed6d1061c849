/**
 * Leases runnable tasks to a worker.
 *
 * The next turns are read without a lock; the chosen tasks are then locked, and tasks that another process has claimed
 * meanwhile are skipped. The worker's row is locked until the commit: heartbeats can pass, but `recover` has to wait.
 */
import type { Json } from '../../../task/json.ts';
import type { Claimed, ClaimRequest } from '../../contracts/task-contract.ts';
import { decideClaim } from '../../decide.ts';
import { takeTurns } from '../../take-turns.ts';
import type { PostgresState } from '../postgres-state.ts';
import type { Transaction } from '../transaction.ts';
import type { Statement, Verb } from '../transactor.ts';
import { ClaimBatcher } from './claim-batcher.ts';
import { Contenders, type DueRow, type EmptyTurn } from './contenders.ts';
import { takeUnsent } from './take-unsent.ts';
import { RECORD_COLUMNS, type RecordRow, toTask } from './task-row.ts';

const WORKER = `SELECT state, (SELECT principal FROM @served WHERE identity = $2 ORDER BY served DESC LIMIT 1) AS last
  FROM @worker WHERE id = $1 FOR KEY SHARE`;
const LOCK = `SELECT ${RECORD_COLUMNS} FROM @task AS task
  WHERE row = ANY($1::bigint[]) AND status = 'queued' AND identity = $2 AND NOT behind FOR UPDATE SKIP LOCKED`;
const STEPS = 'SELECT task, name, value FROM @step WHERE task = ANY($1::bigint[])';
const SERVED = 'unnest($2::text[], $3::bigint[]) AS new(principal, served)';
// A principal locked by another claim is being served at this moment, so it is skipped.
const SERVE = `WITH mine AS (SELECT mine.principal, new.served FROM ${SERVED} CROSS JOIN LATERAL (SELECT principal FROM @served
    WHERE identity = $1 AND principal = new.principal FOR NO KEY UPDATE SKIP LOCKED) AS mine)
  UPDATE @served AS served SET served = mine.served FROM mine
    WHERE served.identity = $1 AND served.principal = mine.principal`;
const SERVE_FIRST = `INSERT INTO @served (identity, principal, served) SELECT $1, principal, served FROM ${SERVED}
  ON CONFLICT DO NOTHING`;
const MOVE_BACK = `WITH mine AS (SELECT mine.tool, mine.principal, new.served FROM ${SERVED} CROSS JOIN LATERAL
    (SELECT tool, principal FROM @turn WHERE identity = $1 AND principal = new.principal
      FOR NO KEY UPDATE SKIP LOCKED) AS mine)
  UPDATE @turn AS turn SET served = mine.served FROM mine
    WHERE turn.identity = $1 AND turn.tool = mine.tool AND turn.principal = mine.principal`;
const NUMBER = `SELECT nextval('@serve_number') AS number FROM generate_series(1, $1)`;
const LOCK_EMPTY_TURNS = `SELECT turn.tool, turn.principal FROM @turn AS turn
  JOIN unnest($2::text[], $3::text[]) AS dry(tool, principal) USING (tool, principal)
  WHERE turn.identity = $1 FOR UPDATE OF turn SKIP LOCKED`;
const CLOSE = `DELETE FROM @turn AS turn USING unnest($2::text[], $3::text[]) AS dry(tool, principal)
  WHERE turn.identity = $1 AND turn.tool = dry.tool AND turn.principal = dry.principal AND NOT EXISTS (SELECT 1 FROM @task AS task
    WHERE task.status = 'queued' AND task.identity = $1 AND task.tool = dry.tool AND task.principal = dry.principal
      AND NOT task.behind)`;

/** Empty turns are kept for the next task of their principal, until there are this many. */
const MAX_EMPTY_TURNS = 32;
const MAX_ROUNDS = 5;

interface Chosen {
  readonly rows: readonly number[];
  readonly emptyTurns: readonly EmptyTurn[];
}

/** What claims need from the store's state. */
type ClaimParts = Pick<PostgresState, 'connection' | 'transactor' | 'time'>;

/**
 * The claims of one process. Concurrent claims choose one after the other, and skip tasks that another has already chosen:
 * otherwise all would try for the same task. Equal claims are merged into one.
 */
export class Claims {
  readonly #parts: ClaimParts;
  readonly #chosen = new Set<number>();
  readonly #batcher = new ClaimBatcher((request) => this.#claim(request));
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async claim(request: ClaimRequest): Promise<Claimed[]> {
    return request.max <= 0 ? [] : this.#batcher.claim(request);
  }

  #claim(request: ClaimRequest): Promise<Claimed[]> {
    return this.#parts.transactor.isAboutToCreate ? this.#claimNew(request) : this.#claimStored(request);
  }

  /** Runs in the transaction that writes new tasks: a task that this process can run at once never waits in the queue. */
  async #claimNew(request: ClaimRequest): Promise<Claimed[]> {
    const { transactor, time } = this.#parts;
    const contenders = new Contenders(request);
    const lost = [...this.#chosen];
    const ahead: Statement[] = [[WORKER, request.worker, request.identity], contenders.toPage(time.read().now, lost)];
    const run: Verb<Claimed[]> = (tx, answers) => takeNew(tx, request, { answers, lost });
    return transactor.run('claim', run, { isLast: true, ahead });
  }

  async #claimStored(request: ClaimRequest): Promise<Claimed[]> {
    const choosing = this.#turn.then(() => this.#choose(request));
    this.#turn = choosing.catch(() => {});
    const first = await choosing;
    // Checked first, so that no transaction is begun for nothing.
    if (first.rows.length === 0 && first.emptyTurns.length < MAX_EMPTY_TURNS) return [];
    const { worker, identity } = request;
    const ahead: Statement[] = [
      [WORKER, worker, identity],
      [LOCK, first.rows, identity],
    ];
    const run: Verb<Claimed[]> = (tx, answers) => take(tx, request, { first, answers });
    try {
      return await this.#parts.transactor.run('claim', run, { isAlone: true, ahead });
    } finally {
      for (const row of first.rows) this.#chosen.delete(row);
    }
  }

  async #choose(request: ClaimRequest): Promise<Chosen> {
    const { connection, time } = this.#parts;
    const read: ChooseOptions['read'] = (text, ...values) => connection.read(text, ...values);
    const first = await choose(request, { read, now: time.read().now, lost: [...this.#chosen] });
    for (const row of first.rows) this.#chosen.add(row);
    return first;
  }
}

interface ChooseOptions {
  readonly read: (text: string, ...values: unknown[]) => Promise<DueRow[]>;
  readonly now: number;
  readonly lost: readonly number[];
}

/** Which tasks are next, in the order in which they are given. */
async function choose(request: ClaimRequest, { read, now, lost }: ChooseOptions): Promise<Chosen> {
  const contenders = new Contenders(request);
  for (;;) {
    if (contenders.hasMore) contenders.add(await read(...contenders.toPage(now, lost)));
    const turns = takeTurns(contenders.list(), request);
    const isEverybodyServed =
      turns.length >= request.max && new Set(turns.map((turn) => turn.principal)).size === turns.length;
    if (!contenders.hasMore || isEverybodyServed) {
      return { rows: turns.map(({ task }) => task.row), emptyTurns: contenders.emptyTurns() };
    }
  }
}

async function take(
  tx: Transaction,
  request: ClaimRequest,
  { first, answers }: { readonly first: Chosen; readonly answers: readonly unknown[][] },
): Promise<Claimed[]> {
  const { identity } = request;
  const [[worker] = [], found = []] = answers as [WorkerRow[], RecordRow[]];
  // The worker is not there or not ready: the locks are released with the transaction.
  if (worker?.state !== 'ready') return [];
  if (first.emptyTurns.length >= MAX_EMPTY_TURNS) await closeTurns(tx, identity, first.emptyTurns);
  const rows = await lockChosen(tx, request, { chosen: first.rows, found });
  return leaseAll(tx, rows, { ...request, last: worker.last });
}

async function takeNew(
  tx: Transaction,
  request: ClaimRequest,
  { answers, lost }: { readonly answers: readonly unknown[][]; readonly lost: readonly number[] },
): Promise<Claimed[]> {
  const [[worker] = [], page = []] = answers as [WorkerRow[], DueRow[]];
  if (worker?.state !== 'ready') return [];
  const contenders = new Contenders(request);
  contenders.add(page);
  const unsent = contenders.isNothingDue && !tx.hasSentTasks ? takeUnsent(tx, request) : undefined;
  const rows = unsent ?? (await lockAny(tx, request, lost));
  return leaseAll(tx, rows, { ...request, last: worker.last });
}

/** Chooses and locks the next tasks, including those that this transaction has written. */
async function lockAny(tx: Transaction, request: ClaimRequest, lost: readonly number[]): Promise<RecordRow[]> {
  const { rows: chosen } = await choose(request, {
    read: (text, ...values) => tx.rows(text, ...values),
    now: tx.now,
    lost,
  });
  const found = chosen.length > 0 ? await tx.rows<RecordRow>(LOCK, chosen, request.identity) : [];
  return lockChosen(tx, request, { chosen, found });
}

interface WorkerRow {
  readonly state: string;
  /** The principal that was served last. */
  readonly last: string | null;
}

interface Leasing extends Pick<WorkerRow, 'last'> {
  readonly worker: string;
  readonly identity: string;
}

async function leaseAll(
  tx: Transaction,
  rows: readonly RecordRow[],
  { worker, identity, last }: Leasing,
): Promise<Claimed[]> {
  const steps = await readSteps(tx, rows);
  const claimed = rows.map((row) => lease(tx, row, { worker, steps: steps.get(row.row) ?? {} }));
  const served = rows.map(({ principal }) => principal);
  // When the only principal served was also the last one before, its position does not change.
  if (served.some((principal) => principal !== last)) await markServed(tx, identity, served);
  return claimed;
}

/** The chosen tasks that could be locked. When others were faster, chooses again without their tasks. */
async function lockChosen(
  tx: Transaction,
  request: ClaimRequest,
  first: { readonly chosen: readonly number[]; readonly found: readonly RecordRow[] },
): Promise<RecordRow[]> {
  const lost = new Set<number>();
  const locked = new Map(first.found.map((row) => [row.row, row]));
  const read: ChooseOptions['read'] = (text, ...values) => tx.rows(text, ...values);
  let { chosen } = first;
  for (let round = 1; round < MAX_ROUNDS && chosen.some((row) => !locked.has(row)); round++) {
    for (const row of chosen) if (!locked.has(row)) lost.add(row);
    chosen = (await choose(request, { read, now: tx.now, lost: [...lost] })).rows;
    const wanted = chosen.filter((row) => !locked.has(row));
    const found = wanted.length > 0 ? await tx.rows<RecordRow>(LOCK, wanted, request.identity) : [];
    for (const row of found) locked.set(row.row, row);
  }
  return chosen.flatMap((row) => locked.get(row) ?? []).map((row) => keepRecord(tx, row));
}

/** An earlier verb of this transaction may have changed the task; its version is used. */
function keepRecord(tx: Transaction, row: RecordRow): RecordRow {
  const [known = row] = tx.keep([row]);
  return known === row ? row : Object.assign(known, { args: row.args ?? null, asked: row.asked });
}

function lease(
  tx: Transaction,
  row: RecordRow,
  { worker, steps }: { readonly worker: string; readonly steps: Record<string, Json> },
): Claimed {
  const { attempt, fence, spend: countsAsAttempt, started_at: before } = row;
  const claimable = { attempt, fence, countsAsAttempt, ...(before !== null && { startedAt: before }) };
  const decision = decideClaim(claimable, worker, tx.now);
  const { startedAt: started_at, event } = decision;
  Object.assign(row, { status: 'working', worker, attempt: decision.attempt, fence: decision.fence, started_at });
  Object.assign(row, { updated_at: tx.now, start_by: null });
  delete row.outcome;
  tx.change(row, [event], { isCounted: false });
  return { task: toTask(row), steps };
}

async function readSteps(tx: Transaction, rows: readonly RecordRow[]): Promise<Map<number, Record<string, Json>>> {
  const withSteps = rows.filter(({ steps }) => steps > 0).map(({ row }) => row);
  const steps = new Map<number, Record<string, Json>>();
  if (withSteps.length === 0) return steps;
  for (const { task, name, value } of await tx.rows<{ task: number; name: string; value: string }>(STEPS, withSteps)) {
    steps.set(task, { ...steps.get(task), [name]: JSON.parse(value) as Json });
  }
  return steps;
}

/** Moves principals to the end of every queue they wait in, in the order of the last task each was given. */
async function markServed(tx: Transaction, identity: string, served: readonly string[]): Promise<void> {
  const places = new Map(served.map((principal, place) => [principal, place]));
  const order = [...places].sort(([, a], [, b]) => a - b).map(([principal]) => principal);
  const numbers = await tx.readFixed<{ number: number }>(NUMBER, order.length);
  const values = [identity, order, numbers.map(({ number }) => number)];
  for (const text of [SERVE, SERVE_FIRST, MOVE_BACK]) tx.enqueue(text, ...values);
}

/** Removes turns for which nothing is queued any more, except those whose next task is just being written. */
async function closeTurns(tx: Transaction, identity: string, emptyTurns: readonly EmptyTurn[]): Promise<void> {
  const toLists = (turns: readonly EmptyTurn[]) => [
    turns.map(({ tool }) => tool),
    turns.map(({ principal }) => principal),
  ];
  const locked = await tx.rows<EmptyTurn>(LOCK_EMPTY_TURNS, identity, ...toLists(emptyTurns));
  if (locked.length > 0) await tx.run(CLOSE, identity, ...toLists(locked));
}
