// @ts-check
/**
 * A worker that stops itself once on its way, and does not know it when it goes on.
 *
 * node stopped-worker.js DIR TASK WHERE; WHERE is `claimed`, between the claim and the body, or `begun`, inside the body
 * before the second step or the program.
 */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { openJournal } from '../crash/crash-journal.js';

const [dir = '', taskId = '', where = ''] = process.argv.slice(2);
const journal = openJournal(dir);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
let isToStop = false;

/** @param {string} place */
function stop(place) {
  if (!isToStop || place !== where) return;
  isToStop = false;
  process.kill(process.pid, 'SIGSTOP');
}

// The arguments are opened by the worker that has just claimed the task.
const codec = {
  /** @param {string} text */
  encode: (text) => text,
  /** @param {string} text */
  decode(text) {
    stop('claimed');
    return text;
  },
};

/** @param {unknown} _args @param {import('holdfast').TaskContext} task */
async function render(_args, task) {
  journal.note('began', process.pid);
  await task.step('first', () => journal.note('first', process.pid));
  stop('begun');
  await task.step('second', () => journal.note('second', process.pid));
  return 'from the old worker';
}

/** @param {unknown} _args @param {import('holdfast').TaskContext} task */
async function print(_args, task) {
  stop('begun');
  const child = await task.spawn('sh', ['-c', 'echo printed >> journal.txt'], { cwd: dir });
  await child.exit;
  return 'from the old worker';
}

const engine = await createEngine({
  name: 'stopped',
  identity: 'stopped',
  store,
  codec,
  leaseMs: 500,
  superviseMs: 1e9,
  onError: () => {},
  tools: {
    render: { idempotent: true, run: render },
    pay: { run: () => journal.note('began', process.pid) },
    print: { idempotent: true, run: print },
    apart: { isolate: true, idempotent: true, run: () => journal.note('began', process.pid) },
  },
});
isToStop = true;
await engine.start();
// Read without the codec, which belongs to the worker here.
await until(async () => (await store.tasks.get({ taskId }))?.outcome, { timeoutMs: 90_000 });
await engine.close();
await store.close();
