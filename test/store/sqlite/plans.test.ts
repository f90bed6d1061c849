/** Every statement of the store, as SQLite plans it: what it costs must not depend on how many tasks there are. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database } from '../../../src/sqlite/database.ts';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { STORE_SCHEMA } from '../../../src/store/sqlite/schema.ts';
import { storeContract } from '../../../src/testing/store-contract.ts';
import { StoreScratch } from './scratch.ts';

const METHODS = ['get', 'all', 'arrays', 'run', 'insert'] as const;
const originals = METHODS.map((name) => [name, Database.prototype[name]] as const);
const statements = new Set<string>();
const scratch = new StoreScratch();

beforeEach(() => {
  for (const [name, original] of originals) {
    const record = function (this: Database, sql: string, ...values: never[]) {
      statements.add(sql);
      return Reflect.apply(original, this, [sql, ...values]);
    };
    Object.assign(Database.prototype, { [name]: record });
  }
});
afterEach(() => {
  for (const [name, original] of originals) Object.assign(Database.prototype, { [name]: original });
});

it('[STORE-32] finds every row through an index, and prepares every statement once', async () => {
  for (const one of storeContract) {
    await one.run((clock) => scratch.open({ path: `${scratch.directory}/${statements.size}-${Math.random()}`, clock }));
  }
  const db = openDatabase({ path: scratch.path, schema: STORE_SCHEMA });
  const ours = [...statements].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
  expect(ours.length).toBeGreaterThan(40);
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
