// @ts-check
/**
 * Does what most programs of the tests do, so that what V8 compiles for it can be kept: a host calls a server, a worker of
 * its own does the work, and an engine of this process runs a task.
 *
 * node warm-up.js DIR
 */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { programPath } from './program-path.js';

const [dir = ''] = process.argv.slice(2);

const host = await createHost({ ledger: join(dir, 'host.db') });
await host.connect('reports', {
  command: process.execPath,
  args: [programPath('reports-server.js'), dir],
  passEnv: ['HOLDFAST_*'],
});
for (const [tool, args] of /** @type {const} */ ([
  ['greet', { name: 'you' }],
  ['render', { ms: 20 }],
])) {
  const call = await host.call('reports', tool, args);
  await call.outcome();
}
await host.close();

const store = await openSqliteStore({ path: join(dir, 'engine.db') });
const engine = await createEngine({
  name: 'warm-up',
  store,
  tools: { wait: { run: (_args, task) => task.progress(1) } },
});
await engine.start();
const { task } = await engine.submit('wait');
await engine.outcome(task.taskId);
await engine.close();
await store.close();

// What the worker has compiled is written when it ends.
const reports = await openSqliteStore({ path: join(dir, 'tasks.db') });
await until(async () => (await reports.workers.list()).length === 0);
await reports.close();
