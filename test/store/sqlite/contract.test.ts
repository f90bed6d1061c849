/** The contract on SQLite, and how SQLite plans what it was asked for meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../../src/sqlite/database.ts';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { describeStore } from '../../../src/testing/store-contract.ts';
import { writeEmptyStore } from './empty-store.ts';

const METHODS = ['get', 'all', 'arrays', 'run', 'insert'] as const;
const originals = METHODS.map((name) => [name, Database.prototype[name]] as const);
const statements = new Set<string>();

let directory: string;
let opened = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-contract-'));
  for (const [name, original] of originals) {
    const record = function (this: Database, sql: string, ...values: never[]) {
      statements.add(sql);
      return Reflect.apply(original, this, [sql, ...values]);
    };
    Object.assign(Database.prototype, { [name]: record });
  }
});

afterAll(async () => {
  for (const [name, original] of originals) Object.assign(Database.prototype, { [name]: original });
  await rm(directory, { recursive: true });
});

const open = async (clock: Parameters<Parameters<typeof describeStore>[1]>[0]) => {
  opened += 1;
  const path = join(directory, `${opened}`, 'tasks.db');
  await writeEmptyStore(path);
  return openSqliteStore({ path, clock });
};

describeStore('[STORE-03] the SQLite store', open, { describe, it });

// What a statement costs must not depend on how many tasks there are.
it('[STORE-32] finds every row through an index, and prepares every statement once', () => {
  const db = openDatabase({ path: join(directory, 'plans.db'), schema: STORE_SCHEMA });
  const ours = [...statements].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
  expect(ours.length, 'statements of the contract, which ran before').toBeGreaterThan(40);
  const plans = ours.flatMap((sql) =>
    db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => `${detail} <- ${sql}`),
  );
  db.close();

  // Only those that ended are walked, in their own index, when somebody prunes by age; and the few programs that serve.
  const scans = plans.filter((plan) =>
    /^SCAN (task|event|question|step|outbox|hold|usage|turn|learned|same|serving)\b(?!.*(task_ended|hold_due|FROM serving\s+ORDER BY row$))/.test(
      plan,
    ),
  );
  expect(scans).toEqual([]);
  expect(plans.filter((plan) => /^SCAN .*task_ended/.test(plan))).toHaveLength(1);
  // A bare LIMIT ? is prepared anew for each call.
  expect(ours.filter((sql) => /(LIMIT|OFFSET) \?(?! \+ 0)/.test(sql))).toEqual([]);
});
