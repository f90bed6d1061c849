// @ts-check
/** What do 1,000 open `subscriptions/listen` cost, and how soon do they get a notification of a change? */
import { toMedian, toPercentile } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openClient } from './raw-client.js';

/** @typedef {import('./raw-client.js').Client} Client */

const MANY = isQuick ? 50 : 1000;
const SAMPLES = isQuick ? 5 : 100;

await withTempDir(async (dir) => {
  const client = await openClient('server-holdfast.js', { dir, transport: 'http', era: 'modern' });
  const lone = await makeTasks(client, SAMPLES);
  const alone = await measureDelays(client, lone, (taskId) => listen(client, taskId));
  // The tasks exist in both readings, so that only the subscriptions make a difference.
  const taskIds = await makeTasks(client, MANY);
  const before = await readUsage(client);
  /** @type {Map<string, Listener>} */
  const listeners = new Map();
  await Promise.all(taskIds.map(async (taskId) => void listeners.set(taskId, await listen(client, taskId))));
  const after = await readUsage(client);
  const among = await measureDelays(client, taskIds.slice(0, SAMPLES), async (taskId) => listeners.get(taskId));
  print({
    bench: 'server-listen',
    subscriptions: MANY,
    ratio: toMedian(among) / toMedian(alone),
    heapBytesPerSubscription: (after.heapUsed - before.heapUsed) / MANY,
    rssBytesPerSubscription: (after.rss - before.rss) / MANY,
    p50Ms: toMedian(among),
    p99Ms: toPercentile(among, 0.99),
    aloneP50Ms: toMedian(alone),
    samples: SAMPLES,
  });
  for (const { close } of listeners.values()) close();
  await client.close();
});

/** @param {Client} client @param {number} count */
async function makeTasks(client, count) {
  const ids = [];
  for (let i = 0; i < count; i++) {
    ids.push(/** @type {string} */ ((await client.request('tools/call', { name: 'asks', arguments: {} })).taskId));
  }
  for (const taskId of ids) await untilAsking(client, taskId);
  return ids;
}

/** @param {Client} client @param {string} taskId */
async function untilAsking(client, taskId) {
  while ((await client.request('tasks/get', { taskId })).status !== 'input_required');
}

/** @typedef {{ ended: Promise<number>, close: () => void }} Listener */

/** @param {Client} client @param {string} taskId @returns {Promise<Listener>} */
async function listen(client, taskId) {
  let onEnd = (/** @type {number} */ _at) => {};
  const ended = new Promise((/** @type {(at: number) => void} */ resolve) => {
    onEnd = resolve;
  });
  let close = () => {};
  await new Promise((resolve, reject) => {
    client
      .listen({ notifications: { taskIds: [taskId] } }, ({ method, params }) => {
        if (method === 'notifications/subscriptions/acknowledged') resolve(undefined);
        else if (params?.status === 'completed') onEnd(performance.now());
      })
      .then((stop) => {
        close = stop;
      }, reject);
  });
  return { ended, close: () => close() };
}

/**
 * The time from the answer to a task's question, which ends the task, to the notification that it has ended.
 *
 * @param {Client} client
 * @param {readonly string[]} taskIds
 * @param {(taskId: string) => Promise<Listener | undefined>} findListener
 */
async function measureDelays(client, taskIds, findListener) {
  const delays = [];
  for (const taskId of taskIds) {
    const listener = await findListener(taskId);
    if (!listener) throw new Error(`nobody listens to ${taskId}`);
    const start = performance.now();
    const inputResponses = { go: { action: 'accept', content: { go: true } } };
    await client.request('tasks/update', { taskId, inputResponses });
    delays.push((await listener.ended) - start);
    listener.close();
  }
  return delays;
}

/** @param {Client} client @returns {Promise<{ heapUsed: number, rss: number }>} */
async function readUsage(client) {
  return JSON.parse((await client.request('tools/call', { name: 'usage', arguments: {} })).content[0].text);
}
