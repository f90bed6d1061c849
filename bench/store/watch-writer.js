// @ts-check
/**
 * The other process of `watch.js`: holds one task and writes events to it on request.
 *
 * Each event is timestamped when its write has resolved, that is, when it is durable and visible.
 */
import { setTimeout } from 'node:timers/promises';
import { openSqliteStore } from 'holdfast';
import { currentProcess } from '../../dist/process/process-ref.js';
import { makeTaskId, makeToken } from '../../dist/task/id.js';
import { sharedNow } from '../measure.js';

const [path = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path });
const lease = await takeTask();
let { lastSeq } = (await store.tasks.get(lease)) ?? { lastSeq: 0 };
process.on('message', (order) => void write(/** @type {{ events: number, pauseMs: number }} */ (order)));
process.once('disconnect', () => void store.close());
process.send?.({ taskId: lease.taskId });

async function takeTask() {
  const task = { taskId: makeTaskId(Date.now()), tool: 'write', args: {}, principal: 'local', identity: 'bench' };
  const limits = { ttlMs: null, pollIntervalMs: 1000, idempotent: false, maxAttempts: 1, deliver: [] };
  await store.tasks.create({ ...task, ...limits }, { queueLimit: 1 });
  const [worker, build] = [makeToken(), { id: 'bench', at: 0 }];
  const place = { workerId: worker, identity: 'bench', kind: /** @type {const} */ ('inline'), build, leaseMs: 600_000 };
  await store.workers.register({ ...place, process: currentProcess() });
  const [claimed] = await store.tasks.claim({ worker, identity: 'bench', free: { write: 1 }, max: 1 });
  if (!claimed) throw new Error('the task could not be claimed');
  return { taskId: task.taskId, fence: claimed.task.fence, worker };
}

/** @param {{ events: number, pauseMs: number }} order */
async function write({ events, pauseMs }) {
  const written = [];
  for (let i = 0; i < events; i++) {
    // Random pauses, so that writes do not synchronize with the reader's polls.
    await setTimeout(pauseMs + Math.random() * 25);
    if (!(await store.tasks.write(lease, { events: [{ type: 'stream', data: { line: i } }] }))) throw new Error('lost');
    written.push({ seq: ++lastSeq, at: sharedNow() });
  }
  process.send?.({ written });
}
