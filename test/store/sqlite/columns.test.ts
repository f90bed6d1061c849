import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { COLUMNS } from '../../../src/store/sqlite/tasks/columns.ts';
import { StoreScratch } from './scratch.ts';

const scratch = new StoreScratch();

interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

it('[ROOMS-170] the table of columns is what the migrations make of a task', () => {
  const db = openDatabase({ path: scratch.path, schema: STORE_SCHEMA });
  const columns = db.all<TableColumn>('PRAGMA table_info(task)');
  db.close();

  const inFile = columns.map((column) => [column.name, toSql(column)]);
  const inTable = Object.entries(COLUMNS).map(([name, { sql }]) => [name, sql]);
  expect(inTable.sort()).toEqual(inFile.sort());
});

it('[ROOMS-170] a column that may not be NULL and has no default gets a value from every new task', () => {
  const missing = Object.entries(COLUMNS).filter(
    ([, { sql, insert }]) => sql.includes('NOT NULL') && !sql.includes('DEFAULT') && insert === undefined,
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

function toSql({ type, notnull, dflt_value, pk }: TableColumn): string {
  const parts = [type, pk && 'PRIMARY KEY', notnull && 'NOT NULL', dflt_value !== null && `DEFAULT ${dflt_value}`];
  return parts.filter(Boolean).join(' ');
}
