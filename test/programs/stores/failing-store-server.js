// @ts-check
/**
 * A server whose store fails as the files in a folder say: `failing-store-server.js <folder>`.
 *
 * - `lose-commit`: the next task is written, and its writer is told that the disk failed.
 * - `lose-line`:   the next task is written, and the server is gone before it can say so; its successor finds no store
 *                  that it could use for the first two calls.
 * - `lose-steps`:  from now on no step can be kept and no program noted, until the file is taken away.
 *
 * The first two are taken away when they have been obeyed. The tools note in `runs.txt` that they ran; one answers through the log of prompts.
 */
import { appendFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore, TaskError } from 'holdfast';

const [folder = ''] = process.argv.slice(2);
const file = (/** @type {string} */ name) => join(folder, name);
const real = await openSqliteStore({ path: file('tasks.db') });
let refusals = existsSync(file('refuse')) ? 2 : 0;

function refuse() {
  if (!existsSync(file('lose-steps'))) return;
  appendFileSync(file('runs.txt'), 'refused\n');
  throw new TaskError('STORE_FAILED', 'the disk failed');
}

/** @type {import('holdfast').Store} */
const store = {
  ...real,
  tasks: {
    ...real.tasks,
    async create(task, options) {
      if (refusals > 0) {
        refusals -= 1;
        rmSync(file('refuse'), { force: true });
        throw new TaskError('STORE_GONE', 'the store was moved away');
      }
      const created = await real.tasks.create(task, options);
      if (existsSync(file('lose-commit'))) {
        rmSync(file('lose-commit'));
        throw new TaskError('STORE_FAILED', 'the disk failed');
      }
      if (existsSync(file('lose-line'))) {
        renameSync(file('lose-line'), file('refuse'));
        process.kill(process.pid, 'SIGKILL');
      }
      return created;
    },
    async write(lease, change) {
      if (change.step) refuse();
      return real.tasks.write(lease, change);
    },
  },
};
const { workers } = real;
const track = workers.track.bind(workers);
workers.track = async (group) => {
  refuse();
  await track(group);
};
const server = createServer({ name: 'failing-store', version: '1.0.0', store, workers: 'inline', onError: () => {} });
function run() {
  appendFileSync(file('runs.txt'), 'paid\n');
  return 'paid';
}
server.tool('pay', { task: 'always', run });
server.tool('pay_by_log', { asyncTask: true, run });
server.tool('count', {
  task: 'always',
  run: (_args, task) => task.step('count', () => 'counted'),
});
server.tool('print', {
  task: 'always',
  async run(_args, task) {
    const { stdout } = await task.spawn('echo', ['printed']);
    return (await stdout.toArray()).join('').trim();
  },
});
server.tool('fail', {
  task: 'auto',
  run() {
    throw new TaskError('STORE_FAILED', 'the disk of the archive failed');
  },
});
await server.serveStdio();
