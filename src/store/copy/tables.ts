/**
 * The tables that are copied from one store to another, in a form that both kinds of stores share.
 *
 * Not copied: what belongs to processes (workers and their silences, servings), which are gone by then, and what can be
 * derived (usage of principals, turns). Process groups still on record can only be killed by another host.
 */

/** A text, a whole number, any number, a boolean, or a list of numbers. */
export type Kind = 'text' | 'whole' | 'number' | 'flag' | 'numbers';

export type Value = string | number | boolean | readonly number[] | null;

/** Values in the order of a table's columns. */
export type Row = readonly Value[];

/** Where a page ends: the values of `order` in its last row. */
export type Cursor = readonly (string | number)[];

export interface CopyTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, Kind>>;
  /**
   * The columns by which rows are read; indexed in every store. A `row` that is not in `columns` is internal to each store.
   */
  readonly order: readonly string[];
  /** How many rows per page. */
  readonly page: number;
}

const PAGE = 500;
/** For tables whose rows may be large. */
const SMALL_PAGE = 50;

const TASK: Readonly<Record<string, Kind>> = {
  ...{ row: 'whole', id: 'text', alias: 'text', tool: 'text', principal: 'text', identity: 'text', status: 'text' },
  ...{ status_message: 'text', progress: 'text', estimate_ms: 'number', created_at: 'whole', updated_at: 'whole' },
  ...{ started_at: 'whole', ended_at: 'whole', expires_at: 'whole', ttl_ms: 'whole', poll_interval_ms: 'number' },
  ...{ attempt: 'whole', fence: 'whole', spend: 'flag', idempotent: 'flag', max_attempts: 'whole', run_at: 'whole' },
  ...{ start_by: 'whole', idempotency_key: 'text', fingerprint: 'text', deliver: 'text', trace: 'text' },
  ...{ labels: 'text', last_seq: 'whole', high_rate: 'whole', questions: 'whole', open_questions: 'whole' },
  ...{ steps: 'whole', losses: 'whole', queue: 'text', behind: 'flag', bytes: 'whole', tombstone_at: 'whole' },
  ...{ args: 'text', outcome: 'text' },
};

/** Columns of tasks that are always empty when there is no worker. */
export const WORKER_COLUMNS = ['worker', 'leaving'] as const;

export const COPY_TABLES: readonly CopyTable[] = [
  { name: 'task', columns: TASK, order: ['row'], page: PAGE },
  {
    name: 'event',
    columns: { task: 'whole', seq: 'whole', at: 'whole', type: 'text', body: 'text' },
    order: ['task', 'seq'],
    page: PAGE,
  },
  {
    name: 'question',
    columns: {
      ...{ task: 'whole', key: 'text', request: 'text', asked_at: 'whole', answer: 'text', answered_at: 'whole' },
    },
    order: ['row'],
    page: PAGE,
  },
  { name: 'step', columns: { task: 'whole', name: 'text', value: 'text' }, order: ['task', 'name'], page: SMALL_PAGE },
  {
    name: 'artifact',
    columns: { task: 'whole', name: 'text', piece: 'whole', text: 'text' },
    order: ['task', 'name', 'piece'],
    page: SMALL_PAGE,
  },
  {
    name: 'learned',
    columns: { identity: 'text', tool: 'text', principal: 'text', runs: 'numbers' },
    order: ['identity', 'tool', 'principal'],
    page: PAGE,
  },
  {
    name: 'outbox',
    columns: { id: 'text', task: 'whole', topic: 'text', data: 'text', due_at: 'whole', tries: 'whole' },
    order: ['row'],
    page: PAGE,
  },
  {
    name: 'hold',
    columns: {
      ...{ task: 'whole', key: 'text', answered_key: 'text', grace_ms: 'whole', is_handed_over: 'flag' },
      ...{ cancel_at: 'whole', join_until: 'whole' },
    },
    order: ['task'],
    page: PAGE,
  },
  {
    name: 'session',
    columns: {
      ...{ id: 'text', principal: 'text', opened_at: 'whole', used_at: 'whole', is_ended: 'flag', expires_at: 'whole' },
    },
    order: ['row'],
    page: PAGE,
  },
  {
    name: 'session_mark',
    columns: { principal: 'text', opened_at: 'whole', expires_at: 'whole' },
    order: ['principal'],
    page: PAGE,
  },
  {
    name: 'program',
    columns: { identity: 'text', name: 'text', base: 'text', tools: 'text', seen_at: 'whole' },
    order: ['identity'],
    page: PAGE,
  },
  {
    name: 'process_group',
    columns: {
      ...{ worker: 'text', pid: 'whole', host: 'text', start_time: 'text', task_id: 'text', orphaned_at: 'whole' },
    },
    order: ['worker', 'pid'],
    page: PAGE,
  },
];

/** The clause `(a, b) > (…)` for the page after a cursor; empty for the first page. */
export function toAfter({ order }: CopyTable, after: Cursor | undefined, placeholder: (n: number) => string): string {
  if (after === undefined) return '';
  return `WHERE (${order.join(', ')}) > (${order.map((_, n) => placeholder(n + 1)).join(', ')})`;
}
