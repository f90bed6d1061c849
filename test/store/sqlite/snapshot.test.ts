import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Database } from '../../../src/sqlite/database.ts';
import { openDriver, type SqliteDriver } from '../../../src/sqlite/driver.ts';
import { Writer } from '../../../src/sqlite/writer.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { TaskStore } from '../../../src/store/contracts/task-contract.ts';
import { SqliteTime } from '../../../src/store/sqlite/sqlite-time.ts';
import { createSqliteTasks } from '../../../src/store/sqlite/tasks/sqlite-tasks.ts';
import { WrittenEvents } from '../../../src/store/sqlite/written-events.ts';
import { StoreScratch, submit, WORKER } from './scratch.ts';

const scratch = new StoreScratch();
let there: Store;
let other: SqliteDriver;
let db: Database;

beforeEach(async () => {
  there = await scratch.open();
  await there.workers.register(WORKER);
  other = openDriver(scratch.path, { readOnly: false });
});
afterEach(() => {
  db.close();
  other.close();
});

/** Reads through a connection on which another process commits `change` right before the statement that says `when`. */
function readWhile(when: string, change: string): TaskStore {
  const driver = openDriver(scratch.path, { readOnly: false });
  const interrupt = (sql: string) => {
    if (sql.includes(when)) other.exec(change);
  };
  db = new Database(scratch.path, {
    prepare(sql) {
      const statement = driver.prepare(sql);
      return {
        run: (...values) => statement.run(...values),
        get(...values) {
          interrupt(sql);
          return statement.get(...values);
        },
        all(...values) {
          interrupt(sql);
          return statement.all(...values);
        },
        setReturnArrays: (enabled) => statement.setReturnArrays?.(enabled),
      };
    },
    exec: (sql) => driver.exec(sql),
    close: () => driver.close(),
  });
  const writer = new Writer(db, { version: 1 });
  return createSqliteTasks({ db, writer, time: new SqliteTime(db, systemClock), written: new WrittenEvents() });
}

async function ask(): Promise<string> {
  const { taskId } = await submit(there);
  await there.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
  await there.tasks.ask({ taskId, fence: 1, worker: 'w1' }, { key: 'q1', request: { kind: 'roots' } });
  return taskId;
}

const ANSWER = `BEGIN; UPDATE question SET answer = '{"action":"accept"}', answered_at = 1;
  UPDATE task SET status = 'working', open_questions = 0; COMMIT`;

it('shows a task and its questions as of one moment, though it is answered in between', async () => {
  const taskId = await ask();
  const task = await readWhile('FROM question', ANSWER).get({ taskId });
  expect(task).toMatchObject({ taskId, status: 'input_required', questions: [{ key: 'q1' }] });
  expect(task?.questions[0]).not.toHaveProperty('answer');
});

it('lists tasks and their questions as of one moment', async () => {
  const taskId = await ask();
  const page = await readWhile('FROM question', ANSWER).list({ limit: 10, status: 'input_required' });
  expect(page.tasks).toMatchObject([{ taskId, status: 'input_required' }]);
  expect(page.tasks[0]?.questions[0]).not.toHaveProperty('answer');
});

it('counts a task that is claimed at this moment once in the backlog', async () => {
  await submit(there);
  const backlog = await readWhile('AS leased', `UPDATE task SET status = 'working', worker = 'w1'`).backlog('reports');
  expect(backlog).toMatchObject({ queued: 1, leased: 0 });
});
