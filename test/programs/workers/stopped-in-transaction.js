// @ts-check
/**
 * A server whose detached worker stops itself while it holds the write lock of the store:
 * `stopped-in-transaction.js <folder>`.
 *
 * It submits one task of each tool, prints their ids, and serves until its stdin ends.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { openDriver } from '../../../dist/sqlite/driver.js';

const [folder = ''] = process.argv.slice(2);
const path = join(folder, 'tasks.db');
const store = await openSqliteStore({ path, lockWaitMs: 300 });
const engine = await createEngine({
  name: 'stopped-worker',
  store,
  workers: 'detached',
  leaseMs: 600,
  superviseMs: 50,
  onError: () => {},
  tools: {
    freeze: {
      run: () => {
        appendFileSync(join(folder, 'frozen.txt'), `${process.pid}\n`);
        openDriver(path, { readOnly: false }).exec('BEGIN IMMEDIATE');
        process.kill(process.pid, 'SIGSTOP');
      },
    },
  },
});
await engine.start();
const { task } = await engine.submit('freeze');
process.stdout.write(`${task.taskId}\n`);
for await (const _ of process.stdin);
await engine.close();
await store.close();
