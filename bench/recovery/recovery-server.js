// @ts-check
/**
 * The server of `recovery.js`, and its worker: records when a tool starts, and in which process.
 *
 *     node recovery-server.js DIR
 *
 * Every line on stdin cancels the previous task and submits another one: `<number> <child groups>`.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createEngine, openSqliteStore } from 'holdfast';
import { sharedNow } from '../measure.js';

const [dir = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });

/** @param {{ number: number, groups: number }} args @param {import('holdfast').TaskContext} task */
async function run({ number, groups }, task) {
  const startedAt = sharedNow();
  const children = task.attempt === 1 ? Array.from({ length: groups }, () => task.spawn('sleep', ['1000'])) : [];
  await Promise.all(children);
  appendFileSync(join(dir, 'begun.txt'), `${number} ${startedAt} ${process.pid}\n`);
  // Runs until it is stopped.
  return new Promise((_, reject) => task.signal.addEventListener('abort', reject, { once: true }));
}

const engine = await createEngine({
  name: 'recovery',
  store,
  workers: 'detached',
  tools: { work: { idempotent: true, run } },
});
await engine.start();
process.stdout.write('ready\n');
let last = '';
for await (const line of createInterface({ input: process.stdin })) {
  const [number = 0, groups = 0] = line.split(' ').map(Number);
  if (last !== '') await engine.cancel(last);
  last = (await engine.submit('work', { number, groups })).task.taskId;
}
