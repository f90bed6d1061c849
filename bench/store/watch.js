// @ts-check
/** How soon does `watch` see a change made in another process, compared with a bare loop that polls every 5 ms? */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTaskClient, openSqliteStore } from 'holdfast';
import { openDriver } from '../../dist/sqlite/driver.js';
import { sharedNow, toMedian, toPercentile } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

/** @typedef {{ taskId: string, written: { seq: number, at: number }[] }} Written */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const POLL_MS = 5;
/** A reader polls less often after ten seconds without changes; both are measured. */
const PACES = [
  { pace: 'busy', rounds: isQuick ? 1 : 6, events: isQuick ? 20 : 50, pauseMs: 10 },
  { pace: 'quiet', rounds: 1, events: isQuick ? 1 : 10, pauseMs: 10_500 },
];

await withTempDir(async (dir) => {
  const path = join(dir, 'store.db');
  const store = await openSqliteStore({ path });
  const access = createTaskClient(store);
  const writer = fork(fileURLToPath(new URL('watch-writer.js', import.meta.url)), [path]);
  const [{ taskId }] = await once(writer, 'message');
  for (const { pace, rounds, events, pauseMs } of PACES) {
    /** @type {Record<'watch' | 'poll', number[]>} */
    const waits = { watch: [], poll: [] };
    for (let round = 0; round < rounds; round++) {
      const afterSeq = (await access.get(taskId)).lastSeq;
      const order = { events, pauseMs };
      waits.watch.push(...(await measure(writer, order, seeByWatch(access, { taskId, afterSeq, events }))));
      waits.poll.push(...(await measure(writer, order, seeByPoll(path, afterSeq + 2 * events))));
    }
    print({
      bench: 'watch',
      pace,
      ratio: toMedian(waits.watch) / toMedian(waits.poll),
      ratioP99: toPercentile(waits.watch, 0.99) / toPercentile(waits.poll, 0.99),
      p50Ms: toMedian(waits.watch),
      p99Ms: toPercentile(waits.watch, 0.99),
      p99AimMs: 50,
      pollP50Ms: toMedian(waits.poll),
      pollP99Ms: toPercentile(waits.poll, 0.99),
      samples: waits.watch.length,
    });
  }
  writer.disconnect();
  await once(writer, 'exit');
  await store.close();
});

/**
 * Lets the writer write, and computes the delay between writing and seeing each event.
 *
 * @param {ChildProcess} writer
 * @param {{ events: number, pauseMs: number }} order
 * @param {Promise<Map<number, number>>} seeing
 */
async function measure(writer, order, seeing) {
  const answer = once(writer, 'message');
  writer.send(order);
  const [{ written }] = /** @type {[Written]} */ (await answer);
  const seen = await seeing;
  return written.map(({ seq, at }) => {
    const seenAt = seen.get(seq);
    if (seenAt === undefined) throw new Error(`event ${seq} was never seen`);
    return seenAt - at;
  });
}

/**
 * @param {import('holdfast').TaskClient} access
 * @param {{ taskId: string, afterSeq: number, events: number }} what
 */
async function seeByWatch(access, { taskId, afterSeq, events }) {
  const seen = new Map();
  for await (const event of access.watch(taskId, { afterSeq })) {
    if (event.type === 'gap') throw new Error('an event was missed');
    seen.set(event.seq, sharedNow());
    if (seen.size === events) break;
  }
  return seen;
}

/**
 * @param {string} path
 * @param {number} lastSeq
 * @returns {Promise<Map<number, number>>}
 */
async function seeByPoll(path, lastSeq) {
  const driver = openDriver(path, { readOnly: true });
  const version = driver.prepare('PRAGMA data_version');
  const newer = driver.prepare('SELECT row, seq FROM event WHERE row > ? ORDER BY row');
  const readVersion = () => /** @type {{ data_version: number }} */ (version.get()).data_version;
  const seen = new Map();
  let known = readVersion();
  let row = /** @type {{ row: number }} */ (driver.prepare('SELECT max(row) AS row FROM event').get()).row;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const current = readVersion();
      if (current === known) return;
      known = current;
      const events = /** @type {{ row: number, seq: number }[]} */ (newer.all(row));
      for (const event of events) seen.set(event.seq, sharedNow());
      row = events.at(-1)?.row ?? row;
      if (!seen.has(lastSeq)) return;
      clearInterval(timer);
      resolve(undefined);
    }, POLL_MS);
  });
  driver.close();
  return seen;
}
