import { afterEach, expect, it } from 'vitest';
import { CommitWatcher } from '../../src/sqlite/commit-watcher.ts';
import { Database } from '../../src/sqlite/database.ts';
import { until } from '../../src/testing/until.ts';
import { INSERT_ITEM, Scratch } from './scratch.ts';

const scratch = new Scratch();
let watcher: CommitWatcher | undefined;
afterEach(() => watcher?.stop());

function watch(db: Database) {
  const seen = { commits: 0, errors: [] as unknown[] };
  const onCommit = () => {
    seen.commits += 1;
    return true;
  };
  watcher = new CommitWatcher(db, { onCommit, onError: (error) => seen.errors.push(error) });
  watcher.start();
  return seen;
}

it('[STORE-16] sees the commit of another connection', async () => {
  const seen = watch(scratch.open());
  scratch.open().insert(INSERT_ITEM, 'a', '');
  await until(() => seen.commits === 1);
});

it('is not woken by the commits of its own connection', async () => {
  const db = scratch.open();
  const other = scratch.open();
  const seen = watch(db);
  db.insert(INSERT_ITEM, 'mine', '');
  db.insert(INSERT_ITEM, 'mine', '');
  other.insert(INSERT_ITEM, 'theirs', '');
  await until(() => seen.commits > 0);
  expect(seen.commits).toBe(1);
});

it('goes on after a failure, and reports it once', async () => {
  let version = 1;
  let polls = 0;
  let isBroken = true;
  const get = () => {
    polls += 1;
    if (isBroken && polls > 1) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    return { data_version: version };
  };
  const statement = { get, run: () => ({ changes: 0, lastInsertRowid: 0 }), all: () => [] };
  const seen = watch(new Database('/x', { prepare: () => statement, exec: () => {}, close: () => {} }));
  await until(() => polls > 4);
  expect(seen.errors).toMatchObject([{ code: 'STORE_FAILED' }]);
  isBroken = false;
  version = 2;
  await until(() => seen.commits === 1);
});

it('asks again at the next look when a commit could not be read', async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const onCommit = () => {
    asked += 1;
    if (asked === 1) throw new Error('locked');
    return true;
  };
  watcher = new CommitWatcher(scratch.open(), { onCommit, onError: (error) => errors.push(error) });
  watcher.start();
  scratch.open().insert(INSERT_ITEM, 'a', '');
  await until(() => asked === 2);
  expect(errors).toEqual([new Error('locked')]);
});

it('asks again when it is told that something was missed, though nobody has committed', async () => {
  const seen = watch(scratch.open());
  watcher?.invalidate();
  await until(() => seen.commits === 1);
});

it('looks at nothing once it is stopped', async () => {
  let polls = 0;
  const get = () => {
    polls += 1;
    return { data_version: polls };
  };
  const statement = { get, run: () => ({ changes: 0, lastInsertRowid: 0 }), all: () => [] };
  const seen = watch(new Database('/x', { prepare: () => statement, exec: () => {}, close: () => {} }));
  await until(() => seen.commits > 2);
  watcher?.stop();
  const before = polls;
  const other = watch(scratch.open());
  scratch.open().insert(INSERT_ITEM, 'a', '');
  await until(() => other.commits === 1);
  expect(polls).toBe(before);
});
