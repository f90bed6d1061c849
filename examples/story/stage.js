// @ts-check
/** Sets up the story: a store in a folder, an engine with a detached worker, and an inbox that outcomes are delivered to. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, isTerminal, isWorker, openSqliteStore } from 'holdfast';
import { openDiary } from './diary.js';
import { openInbox } from './inbox.js';
import { isGone } from './process-life.js';
import { createTools } from './tools.js';

/** @typedef {Awaited<ReturnType<typeof openStage>>} Stage */

const LEAVE_MS = 12_000;

/** @param {string} folder */
export async function openStage(folder) {
  // A worker that starts late must not create the folder of a story that is over again.
  const create = !isWorker;
  const store = await openSqliteStore({ path: join(folder, 'tasks.db'), create });
  const inbox = openInbox(folder, { create });
  const engine = await createEngine({
    name: 'story',
    store,
    workers: 'detached',
    idleMs: 500,
    // Slower than the default, so that the bars visibly stand still.
    superviseMs: 2500,
    tools: createTools(folder),
    outbox: { inbox: inbox.receive },
  });
  return { folder, store, engine, inbox, diary: openDiary(folder) };
}

/**
 * Cancels open tasks, waits until the worker has exited, and closes the store.
 *
 * @param {Stage} stage
 */
export async function closeStage({ store, engine }) {
  const { tasks } = await engine.list();
  for (const task of tasks) if (!isTerminal(task.status)) await engine.cancel(task.taskId);
  await dismissWorkers(store);
  await engine.close();
  await store.close();
}

/**
 * Waits until every worker has exited, or has been declared dead and everything it started has ended; after a timeout, kills
 * them.
 *
 * @param {import('holdfast').Store} store
 */
async function dismissWorkers(store) {
  const giveUpAt = performance.now() + LEAVE_MS;
  /** @type {Set<number>} */
  const pids = new Set();
  for (;;) {
    const workers = await store.workers.list();
    for (const { process: ref } of workers) if (ref) pids.add(ref.pid);
    const alive = [...pids].filter((pid) => !isGone(pid));
    if (workers.length === 0 && alive.length === 0) return;
    if (performance.now() > giveUpAt) {
      for (const pid of alive) process.kill(pid, 'SIGKILL');
      return;
    }
    await pause(50);
  }
}
