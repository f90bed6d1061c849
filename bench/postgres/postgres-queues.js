// @ts-check
/**
 * Well-known queues, each used as its own documentation shows. They are fetched when needed; one that cannot be fetched is
 * left out and reported.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { fetchDebianPackage } from '../../scripts/fetched/debian-package.mjs';
import { fetchTool } from '../../scripts/fetched/fetch-tool.mjs';
import { findPort } from '../../scripts/servers/postgres-cluster.mjs';
import { remark } from '../report.js';

/**
 * @typedef {object} Queue
 * @property {() => Promise<void>} cycle one job from its submission to its completion
 * @property {() => Promise<void>} close
 */

const REDIS = '/usr/bin/redis-server';
const NODE_NEEDED = [22, 18];

/** @param {string} name @param {string} version @returns {Promise<any>} */
async function load(name, version) {
  const folder = await fetchTool({ name, version });
  const from = createRequire(pathToFileURL(join(folder, 'node_modules', 'x.js')));
  return import(pathToFileURL(from.resolve(name)).href);
}

/** @param {string} url @param {number} connections @returns {Promise<Queue>} */
async function openPgBoss(url, connections) {
  const { PgBoss } = await load('pg-boss', '12.35.0');
  const boss = new PgBoss({ connectionString: url, max: connections, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('noop');
  return {
    async cycle() {
      await boss.send('noop', { pages: [1, 2, 3] });
      // Under concurrency, a fetch may find every waiting job locked by others.
      let [job] = await boss.fetch('noop');
      while (job === undefined) [job] = await boss.fetch('noop');
      await boss.complete('noop', job.id, job.data);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** @param {string} url @param {number} connections @returns {Promise<Queue>} */
async function openGraphile(url, connections) {
  const { run, Logger } = await load('graphile-worker', '0.18.0');
  const runner = await run({
    connectionString: url,
    concurrency: connections,
    maxPoolSize: connections,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { noop: async () => {} },
  });
  const jobs = createDesk();
  runner.events.on('job:complete', (/** @type {{ job: { id: string } }} */ { job }) => jobs.end(job.id));
  return {
    async cycle() {
      const { id } = await runner.addJob('noop', { pages: [1, 2, 3] });
      await jobs.ended(id);
    },
    close: () => runner.stop(),
  };
}

/**
 * Configures Redis to sync every write, as PostgreSQL does.
 * @param {string} dir @param {number} connections @returns {Promise<Queue | undefined>}
 */
async function openBullMq(dir, connections) {
  const program = await fetchDebianPackage('redis-server', () => (existsSync(REDIS) ? REDIS : undefined));
  if (program === undefined) return undefined;
  const { Queue, Worker } = await load('bullmq', '6.7.0');
  const { Redis } = await load('ioredis', '5.8.2');
  const port = await findPort();
  const place = join(dir, 'redis');
  await mkdir(place);
  const flags = [
    '--port',
    String(port),
    '--dir',
    place,
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--save',
    '',
  ];
  const redis = spawn(program, flags, { stdio: 'ignore' });
  const connection = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
  const queue = new Queue('noop', { connection });
  const jobs = createDesk();
  const worker = new Worker('noop', async () => 1, { connection, concurrency: connections });
  for (const one of [queue, worker]) one.on('error', () => {});
  worker.on('completed', (/** @type {{ id: string }} */ { id }) => jobs.end(id));
  await worker.waitUntilReady();
  return {
    async cycle() {
      const { id } = await queue.add('noop', { pages: [1, 2, 3] });
      await jobs.ended(id);
    },
    async close() {
      await worker.close(true);
      await queue.close();
      connection.disconnect();
      const ended = once(redis, 'exit');
      redis.kill('SIGKILL');
      await ended;
    },
  };
}

/** Matches waiters with the jobs they wait for; a job may end before its waiter is registered. */
function createDesk() {
  /** @type {Map<string, (() => void) | 'ended'>} */
  const desk = new Map();
  return {
    /** @param {string} id */
    end(id) {
      const waiting = desk.get(id);
      if (typeof waiting === 'function') waiting();
      else desk.set(id, 'ended');
    },
    /** @param {string} id @returns {Promise<void>} */
    ended: (id) =>
      new Promise((resolve) => {
        const done = () => {
          desk.delete(id);
          resolve();
        };
        if (desk.get(id) === 'ended') done();
        else desk.set(id, done);
      }),
  };
}

/**
 * Opens every queue that is available here.
 *
 * @param {{ url: string, dir: string, connections: number }} options
 * @returns {Promise<Record<string, Queue>>}
 */
export async function openQueues({ url, dir, connections }) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < Number(NODE_NEEDED[0]) || (major === NODE_NEEDED[0] && minor < Number(NODE_NEEDED[1]))) {
    remark(`other queues are left out: they need Node ${NODE_NEEDED.join('.')}`);
    return {};
  }
  /** @type {Record<string, Queue>} */
  const found = {};
  /** @type {Record<string, () => Promise<Queue | undefined>>} */
  const openers = {
    'pg-boss': () => openPgBoss(url, connections),
    'graphile-worker': () => openGraphile(url, connections),
    BullMQ: () => openBullMq(dir, connections),
  };
  for (const [name, open] of Object.entries(openers)) {
    const queue = await open().catch((error) => remark(`${name} is left out: ${error}`));
    if (queue) found[name] = queue;
  }
  // Start-up work of the queues must not fall into the first round.
  await setTimeout(500);
  return found;
}
