// @ts-check
/** What does a whole server cost: tasks compared with SDK 1.x in memory, plain calls compared with the bare SDK 2.x? */
import { setTimeout as pause } from 'node:timers/promises';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openClient } from './raw-client.js';

/** @typedef {import('./raw-client.js').Client} Client */

const [transport = 'stdio'] = /** @type {('stdio' | 'http')[]} */ (process.argv.slice(2));
const ROUNDS = isQuick ? 1 : 7;
/** Both sides are polled at once and then at this interval; work that takes some time is first left alone for that time. */
const POLL_MS = 5;
const CASES = [
  { tool: '50 ms', workMs: 50, concurrency: 1, tasks: isQuick ? 3 : 20, aim: '>=0.9' },
  { tool: '50 ms', workMs: 50, concurrency: 32, tasks: isQuick ? 64 : 640, aim: '>=0.9' },
  { tool: 'no-op', workMs: 0, concurrency: 32, tasks: isQuick ? 64 : 640, aim: '>=0.4' },
];
const CALLS = isQuick ? 50 : 500;
/** @type {Record<string, string>} */
const PLAIN_AIMS = { never: '<=1.1', quick: '<=2.5' };

await withTempDir(async (dir) => {
  await measureTasks(dir);
  await measurePlain(dir);
});

/** @param {string} dir */
async function measureTasks(dir) {
  const era = /** @type {const} */ ('legacy');
  const inline = await openClient('server-holdfast.js', { dir, transport, era });
  const detached = await openClient('server-holdfast.js', { dir, transport, era, workers: 'detached' });
  const sdk = await openClient('server-sdk-tasks.js', { dir, transport, era });
  for (const { tool, workMs, concurrency, tasks, aim } of CASES) {
    const run = (/** @type {Client} */ client) => () => toRate(client, { workMs, concurrency, tasks });
    const figures = await interleave(ROUNDS, { inline: run(inline), sdk: run(sdk), detached: run(detached) });
    for (const workers of /** @type {const} */ (['inline', 'detached'])) {
      print({
        bench: 'server',
        what: 'task',
        transport,
        workers,
        tool,
        concurrency,
        ...toRatio(figures[workers], figures.sdk),
        aim,
        tasksPerSecond: toMedian(figures[workers]),
        sdkPerSecond: toMedian(figures.sdk),
        tasks,
        rounds: ROUNDS,
      });
    }
  }
  await Promise.all([inline.close(), detached.close(), sdk.close()]);
}

/**
 * Tasks per second, from `tools/call` to the `tasks/get` that returns the end.
 *
 * @param {Client} client
 * @param {{ workMs: number, concurrency: number, tasks: number }} load
 */
async function toRate(client, { workMs, concurrency, tasks }) {
  const start = performance.now();
  await inLanes(tasks, concurrency, () => runTask(client, workMs));
  return (tasks * 1000) / (performance.now() - start);
}

/** @param {Client} client @param {number} workMs */
async function runTask(client, workMs) {
  const params = { name: 'work', arguments: { ms: workMs }, task: { ttl: 60_000 } };
  const { taskId } = (await client.request('tools/call', params)).task;
  if (workMs > 0) await pause(workMs);
  for (;;) {
    const { status } = await client.request('tasks/get', { taskId });
    if (status === 'completed') return;
    if (status !== 'working') throw new Error(`task ${taskId} is ${status}`);
    await pause(POLL_MS);
  }
}

/** @param {string} dir */
async function measurePlain(dir) {
  const era = /** @type {const} */ ('modern');
  const ours = await openClient('server-holdfast.js', { dir, transport, era, tasks: false });
  const sdk = await openClient('server-sdk-plain.js', { dir, transport, era });
  const figures = await interleave(ROUNDS, {
    never: () => toCallMs(ours, 'plain'),
    sdk: () => toCallMs(sdk, 'plain'),
    auto: () => toCallMs(ours, 'work'),
    quick: () => toCallMs(ours, 'quick'),
  });
  for (const task of /** @type {const} */ (['never', 'auto', 'quick'])) {
    print({
      bench: 'server',
      what: 'plain call',
      transport,
      task,
      ...toRatio(figures[task], figures.sdk),
      ...(PLAIN_AIMS[task] && { aim: PLAIN_AIMS[task] }),
      callMs: toMedian(figures[task]),
      sdkMs: toMedian(figures.sdk),
      calls: CALLS,
      rounds: ROUNDS,
    });
  }
  await Promise.all([ours.close(), sdk.close()]);
}

/** @param {Client} client @param {string} name */
async function toCallMs(client, name) {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) {
    const { content } = await client.request('tools/call', { name, arguments: { ms: 0 } });
    if (content[0].text !== 'done') throw new Error('a call was answered wrongly');
  }
  return (performance.now() - start) / CALLS;
}

/** @param {number} count @param {number} lanes @param {() => Promise<void>} run */
async function inLanes(count, lanes, run) {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
