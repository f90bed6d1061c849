// @ts-check
/**
 * How many tasks per second go from submit to complete in PostgreSQL, compared with bare SQL and well-known queues, and what
 * does each verb cost with a million other tasks in the store?
 */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import pg from 'pg';
import { makeCluster } from '../../scripts/servers/postgres-cluster.mjs';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print, remark } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openPostgresByHand } from './postgres-by-hand.js';
import { openQueues } from './postgres-queues.js';

const ARGS = { path: '/var/reports/2025/index.html', pages: [1, 2, 3] };
const ROUNDS = isQuick ? 2 : 5;
const CONNECTIONS = 32;
const CASES = [
  { lanes: 1, cycles: isQuick ? 20 : 150, aim: '>=0.8' },
  { lanes: 32, cycles: isQuick ? 200 : 1280, aim: '>=1.2' },
  { lanes: 256, cycles: isQuick ? 512 : 2560, aim: '>=2' },
];
// Adds two milliseconds before each sync of the log, as on a network disk.
const SLOW_DISK = { commit_delay: 2000, commit_siblings: 0 };
const SLOW_CASES = CASES.filter(({ lanes }) => lanes === 32).map((one) => ({ ...one, aim: '>=0.9' }));
const [FEW, MANY] = isQuick ? [100, 5000] : [1000, 1_000_000];
const IDENTITY = 'bench';
const WORKER = {
  ...{ workerId: 'w', identity: IDENTITY, leaseMs: 3_600_000, build: { id: 'bench', at: 0 } },
  process: { host: 'bench', pid: 1, startTime: '' },
};

/** @typedef {import('holdfast').Store} Store */

const VARIANTS = {
  cycle: (/** @type {string} */ url, /** @type {string} */ dir) => measureCycles(url, dir, CASES),
  'slow-disk': (/** @type {string} */ url, /** @type {string} */ dir) => measureCycles(url, dir, SLOW_CASES),
  size: measureSize,
};
const variant = /** @type {keyof typeof VARIANTS} */ (process.argv[2]);
await withTempDir(async (dir) => {
  // The server runs as another user if this is run as root.
  await chmod(dir, 0o755);
  const settings = variant === 'slow-disk' ? SLOW_DISK : {};
  const cluster = await makeCluster(join(dir, 'cluster'), { isDurable: true, settings });
  try {
    await (VARIANTS[variant] ?? VARIANTS.cycle)(cluster.url(), dir);
  } finally {
    await cluster.stop('immediate');
  }
});

/** @param {string} url @param {string} dir @param {typeof CASES} cases */
async function measureCycles(url, dir, cases) {
  const store = await openOurs(url, 'ours');
  const engineStore = await openPostgresStore({ url, schema: 'engine' });
  const tools = { noop: { run: (/** @type {unknown} */ args) => args } };
  const engine = await createEngine({ name: 'bench', store: engineStore, workers: 'inline', concurrency: 256, tools });
  await engine.start();
  await (await openPostgresStore({ url, schema: 'byhand' })).close();
  const hand = openPostgresByHand({ url, schema: 'byhand', connections: CONNECTIONS });
  const queues = await openQueues({ url, dir, connections: CONNECTIONS });
  for (const { lanes, cycles, aim } of cases) {
    const figures = await interleave(ROUNDS, {
      store: () => toRate(cycles, lanes, () => runStore(store)),
      engine: () => toRate(cycles, lanes, () => runEngine(engine)),
      'bare SQL one by one': () => toRate(cycles, lanes, () => runByHand(hand, 1)),
      'bare SQL batched': async () =>
        lanes * (await toRate(Math.ceil(cycles / lanes), 1, () => runByHand(hand, lanes))),
      ...Object.fromEntries(
        Object.entries(queues).map(([name, { cycle }]) => [name, () => toRate(cycles, lanes, cycle)]),
      ),
    });
    const perSecond = Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, toMedian(all)]));
    for (const [ours, theirs, bound] of toPairs(Object.keys(queues), aim)) {
      const ratio = toRatio(figures[/** @type {'store'} */ (ours)], figures[/** @type {'store'} */ (theirs)]);
      print({ bench: 'postgres', lanes, what: `${ours} ÷ ${theirs}`, ...ratio, ...(bound && { aim: bound }) });
    }
    remark(`cycles/s with ${lanes} at once: ${JSON.stringify(perSecond)}`);
  }
  for (const queue of Object.values(queues)) await queue.close();
  await hand.close();
  await engine.close();
  await engineStore.close();
  await store.close();
}

/** The pairs to compare. @param {readonly string[]} queues @param {string} aim @returns {[string, string, string?][]} */
function toPairs(queues, aim) {
  const rivals = queues.flatMap((name) => ['store', 'engine'].map((ours) => /** @type {const} */ ([ours, name])));
  return [
    ['store', 'bare SQL one by one', aim],
    ['store', 'bare SQL batched'],
    ['engine', 'bare SQL one by one'],
    // BullMQ stores its jobs outside the database, so they cannot share a transaction with other data there.
    ...rivals.map(
      ([ours, name]) => /** @type {[string, string, string?]} */ ([ours, name, name === 'BullMQ' ? undefined : '>=1']),
    ),
  ];
}

/** @param {string} url */
async function measureSize(url) {
  const [few, many] = [await openOurs(url, 'few'), await openOurs(url, 'many')];
  await fill(url, 'few', FEW);
  await fill(url, 'many', MANY);
  const cycles = isQuick ? 50 : 300;
  for (const verb of /** @type {const} */ (['create', 'claim', 'settle', 'get'])) {
    const figures = await interleave(ROUNDS * 2, {
      many: () => timeVerb(many, verb, cycles),
      few: () => timeVerb(few, verb, cycles),
    });
    const ratio = toRatio(figures.many, figures.few);
    print({ bench: 'postgres', what: verb, tasks: MANY, ...ratio, aim: '<=1.2', ms: toMedian(figures.many) });
  }
  await few.close();
  await many.close();
}

/** Inserts ended tasks with their histories. @param {string} url @param {string} s the schema @param {number} many */
async function fill(url, s, many) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const now = Date.now();
  await client.query(`INSERT INTO ${s}.task (row, id, tool, principal, identity, status, created_at, updated_at, ttl_ms,
      attempt, fence, spend, idempotent, max_attempts, run_at, last_seq, high_rate, questions, open_questions, steps, losses,
      behind, bytes, args, outcome, ended_at, expires_at)
    SELECT nextval('${s}.task_row'), gen_random_uuid()::text, 'noop', 'local', '${IDENTITY}', 'completed', ${now}, ${now}, 86400000,
      1, 1, true, false, 1, ${now}, 3, 0, 0, 0, 0, 0, false, 300, '{"pages":[1,2,3]}', '{"kind":"result","value":1}',
      ${now}, ${now + 86_400_000} FROM generate_series(1, ${many})`);
  await client.query(`INSERT INTO ${s}.event (task, seq, at, type) SELECT row, seq, ${now}, type
    FROM ${s}.task, (VALUES (1, 'submitted'), (2, 'claimed'), (3, 'ended')) AS life(seq, type)`);
  await client.query(`VACUUM ANALYZE ${s}.task, ${s}.event`);
  await client.end();
}

/**
 * The mean time of one verb, in ms; the other verbs are not counted.
 *
 * @param {Store} store
 * @param {'create' | 'claim' | 'settle' | 'get'} verb
 * @param {number} cycles
 */
async function timeVerb(store, verb, cycles) {
  let ms = 0;
  /** @template T @param {string} name @param {() => Promise<T>} run */
  const timed = async (name, run) => {
    const start = performance.now();
    const value = await run();
    if (name === verb) ms += performance.now() - start;
    return value;
  };
  for (let n = 0; n < cycles; n++) {
    const taskId = await timed('create', () => create(store));
    await timed('get', () => store.tasks.get({ taskId }));
    const task = await timed('claim', () => claim(store));
    await timed('settle', () => settle(store, task));
  }
  return ms / cycles;
}

/** @param {string} url @param {string} schema */
async function openOurs(url, schema) {
  const store = await openPostgresStore({ url, schema });
  await store.workers.register({ ...WORKER, kind: 'inline' });
  return store;
}

/** @param {Store} store */
async function create(store) {
  const task = { taskId: crypto.randomUUID(), tool: 'noop', args: ARGS, principal: 'local', identity: IDENTITY };
  const more = { ttlMs: 3_600_000, idempotent: false, maxAttempts: 1, deliver: [], pollIntervalMs: 1000 };
  await store.tasks.create({ ...task, ...more }, { queueLimit: 100_000 });
  return task.taskId;
}

/** @param {Store} store */
async function claim(store) {
  const [claimed] = await store.tasks.claim({ worker: 'w', identity: IDENTITY, free: { noop: 1 }, max: 1 });
  if (claimed === undefined) throw new Error('there was nothing to claim');
  return claimed.task;
}

/** @param {Store} store @param {import('holdfast').Task} task */
async function settle(store, { taskId, fence, args }) {
  const outcome = { kind: /** @type {const} */ ('result'), value: args };
  if (!(await store.tasks.settle({ taskId, fence, worker: 'w' }, { outcome, ranMs: 0 })))
    throw new Error(`task ${taskId} could not be settled`);
}

/** @param {Store} store */
async function runStore(store) {
  await create(store);
  await settle(store, await claim(store));
}

/** @param {import('holdfast').Engine} engine */
async function runEngine(engine) {
  const { task } = await engine.submit('noop', ARGS);
  const outcome = await engine.outcome(task.taskId);
  if (outcome.kind !== 'result') throw new Error(`task ${task.taskId} ended as ${outcome.kind}`);
}

/** @param {ReturnType<typeof openPostgresByHand>} hand @param {number} many */
async function runByHand(hand, many) {
  await hand.create(Array.from({ length: many }, () => ARGS));
  const tasks = await hand.claim(many);
  // Another lane may have claimed this lane's task, and the other lane's task may not be visible yet.
  while (tasks.length < many) tasks.push(...(await hand.claim(many - tasks.length)));
  await hand.settle(tasks);
}

/**
 * Cycles per second, with this many lanes in parallel.
 *
 * @param {number} cycles
 * @param {number} lanes
 * @param {() => Promise<void>} cycle
 */
async function toRate(cycles, lanes, cycle) {
  let left = cycles;
  const lane = async () => {
    while (left-- > 0) await cycle();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return (cycles * 1000) / (performance.now() - start);
}
