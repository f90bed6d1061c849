// @ts-check
/**
 * The server of `again.js`, and its worker: accepts one task and records when its tool starts.
 *
 *     node again-server.js DIR
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';
import { sharedNow } from '../measure.js';

const [dir = ''] = process.argv.slice(2);
if (isWorker) appendFileSync(join(dir, 'workers.txt'), `${process.pid}\n`);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const tools = {
  work: {
    idempotent: true,
    run: (/** @type {unknown} */ _args, /** @type {import('holdfast').TaskContext} */ task) => {
      appendFileSync(join(dir, 'begun.txt'), `${sharedNow()}\n`);
      // Runs until its process is killed.
      return new Promise((_, reject) => task.signal.addEventListener('abort', reject, { once: true }));
    },
  },
};
const engine = await createEngine({ name: 'again', store, workers: 'detached', tools });
await engine.start();
await engine.submit('work', {}, { idempotencyKey: 'work' });
process.stdout.write('acknowledged\n');
process.stdin.resume();
