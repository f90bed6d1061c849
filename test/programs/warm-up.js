// @ts-check
/**
 * Does what most programs of the tests do, so that what V8 compiles for it can be kept: a host calls a server, a worker of
 * its own does the work, an engine of this process runs a task, and the commands that tests use most are run.
 *
 * node warm-up.js DIR
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEngine, openSqliteStore } from 'holdfast';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { builtPath, programPath } from './program-path.js';

const [dir = ''] = process.argv.slice(2);

const REPORTS = [programPath('reports-server.js'), dir];
const CLI = builtPath('cli/main.js');

const host = await createHost({ ledger: join(dir, 'host.db') });

/** Connects to a server, and calls its tools. @param {string} name @param {readonly string[]} args @param {Calls} calls */
async function callAll(name, args, calls) {
  await host.connect(name, { command: process.execPath, args: [...args], passEnv: ['HOLDFAST_*'] });
  for (const [tool, input] of Object.entries(calls)) {
    const call = await host.call(name, tool, input);
    await call.outcome();
  }
}

/** @param {...string} args */
const command = (...args) => promisify(execFile)(process.execPath, [CLI, ...args]);

/** @typedef {Readonly<Record<string, import('holdfast/host').JsonObject>>} Calls what each tool is given */

await callAll('reports', REPORTS, { greet: { name: 'you' }, render: { ms: 20 } });
await callAll('gateway', [CLI, 'gateway', '--name', 'before', '--', process.execPath, ...REPORTS], {
  greet: { name: 'you' },
  render: { ms: 20 },
});
await callAll('demo', [CLI, 'demo'], { slow_compute: { seconds: 0.1 } });
await callAll('codex', [CLI, 'codex'], {});
await callAll('monitor', [CLI, 'monitor'], { wksm_monitor_status: {} });
await host.close();
await command('call', 'greet', '{"name":"you"}', '--', process.execPath, ...REPORTS);
await command('tasks', 'list', '--store', join(dir, 'tasks.db'));
await command('monitor', 'sync', import.meta.dirname);

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
