/**
 * One transaction: the tasks it has read, and what it is going to write.
 *
 * Verbs change rows that they have locked, and register other writes; `flush` sends everything at once. Reads of data that
 * an earlier verb may have changed flush first.
 */
import { type EventBody, isHighRate, KEPT_HIGH_RATE_EVENTS } from '../../task/event.ts';
import type { StoreTime } from '../store-clock.ts';
import { toBodyText, toEventBytes } from '../stored-bytes.ts';
import type { NumberedChange } from './changes/own-commits.ts';
import type { Session } from './connection.ts';
import { INSERT_TASKS, type TaskRow, UPDATE_ENDED, UPDATE_LIVE, WORK_COLUMNS } from './tasks/task-row.ts';

/** Locks tasks by id. */
export const LOCK_TASKS = `SELECT ${WORK_COLUMNS} FROM @task AS task WHERE task.id = ANY($1) ORDER BY task.row FOR UPDATE`;
const ADD_USAGE = `INSERT INTO @usage (principal, identity, bytes)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])`;
// One statement for both: nearly all events come with bytes to be counted.
const INSERT_EVENTS = `WITH counted AS (${ADD_USAGE}) INSERT INTO @event (task, seq, at, type, body)
  SELECT task, seq, $6, type, body FROM unnest($4::bigint[], $5::integer[], $7::text[], $8::text[])
    WITH ORDINALITY AS new(task, seq, type, body, place) ORDER BY place`;
const OPEN_TURNS = 'SELECT @open_turns($1, $2, $3)';
// By position instead of a list of numbers: joining thousands of numbers with themselves takes seconds.
const TRIM = `WITH gone AS (DELETE FROM @event WHERE task = $1 AND type IN ('progress', 'log', 'stream') AND seq <=
    (SELECT seq FROM @event WHERE task = $1 AND type IN ('progress', 'log', 'stream') ORDER BY seq LIMIT 1 OFFSET $2 - 1)
    RETURNING body)
  SELECT count(*) AS events, coalesce(sum(${toEventBytes(null)} + coalesce(octet_length(body), 0)), 0)::bigint AS bytes
    FROM gone`;

// Trimming has a cost, so it waits until a tenth more than the limit has accumulated.
const TRIMMED_AT = KEPT_HIGH_RATE_EVENTS * 1.1;

const NEW_ROW = `SELECT nextval('@task_row') AS row`;
const NEWEST_EVENT = 'SELECT last_value AS events FROM @event_row';
/** Row numbers for `$1` new tasks. */
export const NUMBERS = `SELECT nextval('@task_row') AS row, (SELECT last_value FROM @event_row) AS events
  FROM generate_series(1, $1)`;

/** Identifies one event uniquely. */
export interface EventSample {
  readonly task: number;
  readonly seq: number;
  readonly type: string;
}

interface NewEvent extends EventSample {
  readonly body: string | null;
}

/** A row in its last written state; differences from it are still to be written. */
interface Known {
  readonly row: TaskRow;
  /** The task's bytes before this transaction. */
  readonly before: number;
  identity: string;
  bytes: number;
  wasRunnable: boolean;
  isNew: boolean;
}

export class Transaction implements StoreTime {
  readonly now: number;
  readonly certain: number;
  readonly movedAt: number;
  readonly #session: Session;
  readonly #known = new Map<string, Known>();
  /** Tasks that were looked up and do not exist. */
  readonly #absent = new Set<string>();
  #changed = new Set<Known>();
  #events: NewEvent[] = [];
  #writes: (readonly [string, unknown[]])[] = [];
  #bulkWrites = new Map<string, unknown[][]>();
  #numbers: { rows: number[]; events: number | undefined } = { rows: [], events: undefined };
  #eventCount = 0;
  #hasWritten = false;
  #hasSentTasks = false;
  #sample: EventSample | undefined;
  readonly #changes: NumberedChange[] = [];

  constructor(session: Session, time: StoreTime) {
    this.#session = session;
    this.now = time.now;
    this.certain = time.certain;
    this.movedAt = time.movedAt;
  }

  /** Returns the number for a new task, in the order of creation. */
  async takeRow(): Promise<number> {
    const taken = this.#numbers.rows.shift() ?? (await this.row<{ row: number }>(NEW_ROW))?.row;
    if (taken === undefined) throw new Error('the database gave no number for a new task');
    return taken;
  }

  /** An upper bound of the number of events, including those of this transaction. */
  async countEvents(): Promise<number> {
    this.#numbers.events ??= (await this.row<{ events: number }>(NEWEST_EVENT))?.events ?? 0;
    return this.#numbers.events + this.#eventCount;
  }

  /** By how many bytes this transaction has changed what a principal has stored, counting only loaded tasks. */
  countBytes(principal: string): number {
    let sum = 0;
    for (const { row, before } of this.#known.values()) if (row.principal === principal) sum += row.bytes - before;
    return sum;
  }

  /** Sets the numbers that were requested when the transaction began. */
  setNumbers(rows: number[], events: number | undefined): void {
    this.#numbers = { rows, events };
  }

  /** Whether anything was written. */
  get hasWritten(): boolean {
    return this.#hasWritten || this.#isDirty;
  }

  /** The changes to announce after the commit. */
  get changes(): readonly NumberedChange[] {
    return this.#changes;
  }

  /** One of the events that were sent: if it is in the database, the whole transaction is. */
  get sample(): EventSample | undefined {
    return this.#sample;
  }

  get #isDirty(): boolean {
    return this.#changed.size + this.#events.length + this.#writes.length + this.#bulkWrites.size > 0;
  }

  /** Reads rows, including this transaction's own writes. */
  async rows<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    await this.flush();
    return this.#session.rows<Row>(text, ...values);
  }

  /** Reads data that no verb changes, so no flush is needed. */
  readFixed<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.#session.rows<Row>(text, ...values);
  }

  async row<Row>(text: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(text, ...values))[0];
  }

  /** Flushes and writes now; returns how many rows were changed. */
  async run(text: string, ...values: unknown[]): Promise<number> {
    await this.flush();
    this.#hasWritten = true;
    return (await this.#session.query(text, ...values)).rowCount ?? 0;
  }

  /** Flushes and writes now; returns the rows of the statement. */
  async write<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    await this.flush();
    this.#hasWritten = true;
    return this.#session.rows<Row>(text, ...values);
  }

  /** Registers a write for the next flush; order is kept. */
  enqueue(text: string, ...values: unknown[]): void {
    this.#writes.push([text, values]);
  }

  /** Like `enqueue`, unless the same write is already registered. */
  enqueueOnce(text: string, ...values: unknown[]): void {
    const isThere = this.#writes.some(
      ([other, others]) => other === text && others.every((value, place) => value === values[place]),
    );
    if (!isThere) this.enqueue(text, ...values);
  }

  /** Like `enqueue`, for a statement that accepts the values of many calls as one array per parameter. */
  enqueueBulk(text: string, ...values: unknown[]): void {
    const rows = this.#bulkWrites.get(text);
    if (rows) rows.push(values);
    else this.#bulkWrites.set(text, [values]);
  }

  /** Locks tasks by id, for verbs that read them with `find`. */
  async lock(ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length > 0) this.keep(await this.#session.rows<TaskRow>(LOCK_TASKS, missing), missing);
  }

  async find(id: string): Promise<TaskRow | undefined> {
    if (!this.#known.has(id) && !this.#absent.has(id)) await this.lock([id]);
    return this.#known.get(id)?.row;
  }

  /** Finds tasks by a query that locks them and returns at least `WORK_COLUMNS`. */
  async findAll(text: string, ...values: unknown[]): Promise<TaskRow[]> {
    return this.keep(await this.rows<TaskRow>(text, ...values));
  }

  /** Adds rows that were read and locked; a known row keeps its current state. `asked` are the ids that were looked up. */
  keep(rows: readonly TaskRow[], asked: readonly string[] = []): TaskRow[] {
    for (const id of asked) this.#absent.add(id);
    for (const { id } of rows) this.#absent.delete(id);
    return rows.map((row) => {
      const before = this.#known.get(row.id);
      if (before) return before.row;
      this.#known.set(row.id, toKnown(row, false));
      return row;
    });
  }

  /** Whether some new tasks were sent to the database already. */
  get hasSentTasks(): boolean {
    return this.#hasSentTasks;
  }

  /** New tasks that were not sent to the database yet. */
  get unsent(): TaskRow[] {
    return [...this.#changed].flatMap(({ row, isNew }) => (isNew ? [row] : []));
  }

  insert(row: TaskRow): void {
    const known = toKnown(row, true);
    this.#absent.delete(row.id);
    this.#known.set(row.id, known);
    this.#changed.add(known);
  }

  /** Marks a row as changed, and numbers its new events. Counts their bytes unless `isCounted` is false. */
  change(row: TaskRow, bodies: readonly EventBody[] = [], { isCounted = true } = {}): void {
    const known = this.#known.get(row.id);
    if (known === undefined) throw new Error(`task ${row.id} was changed without being locked`);
    this.#changed.add(known);
    for (const body of bodies) {
      row.last_seq += 1;
      if (isHighRate(body.type)) row.high_rate += 1;
      const text = toBodyText(body);
      if (isCounted) row.bytes += toEventBytes(text);
      this.#eventCount += 1;
      this.#events.push({ task: row.row, seq: row.last_seq, type: body.type, body: text });
      this.#changes.push({ taskId: row.id, type: body.type, seq: row.last_seq });
    }
  }

  /** Sends all registered writes, without waiting between the statements. */
  async flush(): Promise<void> {
    while (this.#isDirty) {
      await Promise.all(this.#session.pipeline(() => this.#send()));
      // Trimming changes the rows once more.
      await this.#trim();
    }
  }

  /**
   * Sends the remaining writes, followed by COMMIT without waiting in between: if a statement has failed, COMMIT rolls back.
   */
  async commit(): Promise<void> {
    // Trimming reads what was written, and writes again.
    if ([...this.#known.values()].some(({ row }) => row.high_rate > TRIMMED_AT)) await this.flush();
    await Promise.all(this.#session.pipeline(() => [...this.#send(), this.#session.script('COMMIT')]));
  }

  #send(): Promise<unknown>[] {
    const changed = [...this.#changed];
    const events = this.#events;
    const writes = this.#writes;
    const bulkWrites = [...this.#bulkWrites];
    this.#changed = new Set();
    this.#events = [];
    this.#writes = [];
    this.#bulkWrites = new Map();
    if (changed.length + events.length + writes.length + bulkWrites.length > 0) this.#hasWritten = true;
    this.#sample ??= events[0];
    const sent = [...this.#sendTasks(changed), ...this.#sendTurns(changed), ...this.#sendEvents(events, changed)];
    for (const [text, rows] of bulkWrites)
      sent.push(this.#session.query(text, ...toColumns(rows, rows[0]?.length ?? 0)));
    for (const [text, values] of writes) sent.push(this.#session.query(text, ...values));
    for (const known of changed) settle(known);
    return sent;
  }

  #sendTasks(changed: readonly Known[]): Promise<unknown>[] {
    const made = changed.filter(({ isNew }) => isNew);
    this.#hasSentTasks ||= made.length > 0;
    const stored = changed.filter(({ isNew }) => !isNew);
    const ended = stored.filter(({ row }) => row.outcome !== undefined);
    const live = stored.filter(({ row }) => row.outcome === undefined);
    const writes = [
      [INSERT_TASKS, made],
      [UPDATE_LIVE, live],
      [UPDATE_ENDED, ended],
    ] as const;
    return writes.flatMap(([bulk, rows]) =>
      rows.length === 0 ? [] : [this.#session.query(bulk.text, ...bulk.toValues(rows.map(({ row }) => row)))],
    );
  }

  /** Opens turns for principals whose tasks became runnable. */
  #sendTurns(changed: readonly Known[]): Promise<unknown>[] {
    const turns = toTurns(changed);
    return turns.length > 0 ? [this.#session.query(OPEN_TURNS, ...toColumns(turns, 3))] : [];
  }

  /** Writes events, and the usage of principals. */
  #sendEvents(events: readonly NewEvent[], changed: readonly Known[]): Promise<unknown>[] {
    const usages = toUsages(changed);
    const counts = toColumns(usages, 3);
    if (events.length === 0) return usages.length > 0 ? [this.#session.query(ADD_USAGE, ...counts)] : [];
    const [tasks, seqs] = [events.map(({ task }) => task), events.map(({ seq }) => seq)];
    const [types, bodies] = [events.map(({ type }) => type), events.map(({ body }) => body)];
    return [this.#session.query(INSERT_EVENTS, ...counts, tasks, seqs, this.now, types, bodies)];
  }

  /** Deletes the oldest high-rate events of tasks that have too many. */
  async #trim(): Promise<void> {
    for (const known of this.#known.values()) {
      if (known.row.high_rate > TRIMMED_AT) await this.trim(known.row);
    }
  }

  /** Returns how many events were deleted. */
  async trim(row: TaskRow): Promise<number> {
    const surplus = Math.max(0, row.high_rate - KEPT_HIGH_RATE_EVENTS);
    if (surplus === 0) return 0;
    const [gone] = await this.#session.rows<{ events: number; bytes: number }>(TRIM, row.row, surplus);
    row.high_rate -= gone?.events ?? 0;
    row.bytes -= gone?.bytes ?? 0;
    this.change(row);
    return gone?.events ?? 0;
  }
}

function toKnown(row: TaskRow, isNew: boolean): Known {
  const wasRunnable = !isNew && isRunnable(row);
  const before = isNew ? 0 : row.bytes;
  return { row, before, identity: row.identity, bytes: before, wasRunnable, isNew };
}

/** Marks the current state of a row as written. */
function settle(known: Known): void {
  const { row } = known;
  Object.assign(known, { identity: row.identity, bytes: row.bytes, wasRunnable: isRunnable(row), isNew: false });
  // An outcome is written once; later writes must not repeat it.
  delete row.outcome;
}

function isRunnable({ status, behind }: TaskRow): boolean {
  return status === 'queued' && !behind;
}

function toTurns(changed: readonly Known[]): (readonly [string, string, string])[] {
  const turns = new Map<string, readonly [string, string, string]>();
  for (const { row, wasRunnable, identity } of changed) {
    if (!isRunnable(row) || (wasRunnable && identity === row.identity)) continue;
    const turn = [row.identity, row.tool, row.principal] as const;
    turns.set(JSON.stringify(turn), turn);
  }
  // All processes use the same order, or they could deadlock.
  return [...turns].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, turn]) => turn);
}

function toUsages(changed: readonly Known[]): (readonly [string, string, number])[] {
  const sums = new Map<string, { principal: string; identity: string; bytes: number }>();
  const add = (principal: string, identity: string, bytes: number) => {
    const name = JSON.stringify([principal, identity]);
    const sum = sums.get(name) ?? { principal, identity, bytes: 0 };
    sum.bytes += bytes;
    sums.set(name, sum);
  };
  for (const { row, identity, bytes } of changed) {
    add(row.principal, identity, -bytes);
    add(row.principal, row.identity, row.bytes);
  }
  return [...sums.values()].flatMap((sum) =>
    sum.bytes === 0 ? [] : [[sum.principal, sum.identity, sum.bytes] as const],
  );
}

function toColumns(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, place) => rows.map((row) => row[place]));
}
