/** Rows of tasks: the statements and mappers derived from the table of columns. */
import type { Database } from '../../../sqlite/database.ts';
import type { SqliteValue } from '../../../sqlite/driver.ts';
import type { Json } from '../../../task/json.ts';
import type { Task } from '../../../task/record.ts';
import { readQuestions } from '../rows.ts';
import { COLUMNS, type MutableTask, RECORD, type TaskRow, WORK, type WorkRow } from './columns.ts';
import type { Draft } from './draft.ts';

export type { TaskRow, WorkRow } from './columns.ts';

const WORK_NAMES = Object.keys(WORK);
const TASK_NAMES = [...WORK_NAMES, ...Object.keys(RECORD)];

export const WORK_COLUMNS = WORK_NAMES.join(', ');
export const TASK_COLUMNS = TASK_NAMES.join(', ');

/** Reads `WORK_COLUMNS`, in their order. */
export const toWorkRow = defineRow<WorkRow>(WORK_NAMES);
/** Reads `TASK_COLUMNS`, in their order. */
export const toTaskRow = defineRow<TaskRow>(TASK_NAMES);

const INSERTED = Object.entries(COLUMNS).flatMap(([name, { insert }]) => (insert ? [{ name, insert }] : []));
const INSERT = `INSERT INTO task (${INSERTED.map(({ name }) => name).join(', ')})
  VALUES (${INSERTED.map(() => '?').join(', ')})`;

/** Returns the number of the new row. */
export function insertTaskRow(db: Database, draft: Draft, now: number): number {
  return db.insert(INSERT, ...INSERTED.map(({ insert }) => insert(draft, now)));
}

interface Values {
  readonly values: readonly SqliteValue[];
}

/**
 * Defines rows with a property for each name. They are views of the arrays that the driver returns: copying forty values
 * into an object costs more than reading the few that a verb uses.
 */
function defineRow<Row>(names: readonly string[]): (values: readonly SqliteValue[]) => Row {
  class View implements Values {
    readonly values: readonly SqliteValue[];
    constructor(values: readonly SqliteValue[]) {
      this.values = values;
    }
  }
  for (const [place, name] of names.entries()) {
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return this.values[place];
      },
    });
  }
  return (values) => new View(values) as unknown as Row;
}

type Read = (task: MutableTask, value: SqliteValue) => unknown;

const READS = TASK_NAMES.flatMap((name, place) => {
  const read = COLUMNS[name]?.read as Read | undefined;
  return read ? [{ place, read }] : [];
});

export function toTask(db: Database, row: TaskRow): Task {
  const { values } = row as unknown as Values;
  // Fields for which NULL has a meaning, or whose values are stored in other tables.
  const task = {
    ttlMs: null,
    args: row.args === null ? readLongArgs(db, row) : null,
    deliver: [],
    questions: row.questions > 0 ? readQuestions(db, row.row) : [],
  } as unknown as MutableTask;
  for (const { place, read } of READS) {
    const value = values[place];
    if (value !== null && value !== undefined) read(task, value);
  }
  return task;
}

function readLongArgs(db: Database, row: TaskRow): Json {
  if (row.tombstone_at !== null) return null;
  const long = db.get<{ args: string }>('SELECT args FROM long_args WHERE task = ?', row.row);
  return long === undefined ? null : (JSON.parse(long.args) as Json);
}
