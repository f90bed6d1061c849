// @ts-check
/** What does a gateway cost, compared with the server itself and with the most used other gateways? */

import { interleave, toMedian, toPercentile, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openSide, readOwnMemory, toPublished } from './gateway-sides.js';

/** @typedef {import('../server/raw-client.js').Client} Client */
/** @typedef {import('./gateway-sides.js').SideName} SideName */

const [what = 'stdio'] = process.argv.slice(2);
const ROUNDS = isQuick ? 1 : 7;
const STARTS = isQuick ? 1 : 9;
const CALLS = isQuick ? 20 : 200;
const LANES = 16;
const UPSTREAMS = 4;
const OTHERS = /** @type {const} */ (['mcp-proxy', 'supergateway']);
let calls = 0;
/** Tools that are never run as a task, as a task that only reads, and as any other task. */
const HOLDFAST_TOOLS = /** @type {const} */ (['plain', 'read', 'write']);

await withTempDir(async (dir) => {
  if (what === 'memory') await measureMemory(dir);
  else if (what === 'start') await measureStart(dir);
  else await measureCalls(dir);
});

/** @param {string} dir */
async function measureCalls(dir) {
  const direct = (await openSide('direct', dir)).client;
  const ours = (await openSide(what === 'http' ? 'holdfast-http' : 'holdfast', dir, { upstreams: 1 })).client;
  const others =
    what === 'http' ? await Promise.all(OTHERS.map(async (name) => (await openSide(name, dir)).client)) : [];
  /** @type {Record<string, { client: Client, tool: string }>} */
  const sides = { direct: { client: direct, tool: 'plain' } };
  for (const tool of HOLDFAST_TOOLS) sides[`holdfast ${tool}`] = { client: ours, tool };
  for (const [at, client] of others.entries()) sides[String(OTHERS[at])] = { client, tool: 'plain' };
  const slow = Object.fromEntries(Object.keys(sides).map((name) => [name, /** @type {number[]} */ ([])]));
  const one = await interleave(
    ROUNDS,
    toRuns(sides, (side) => toCallMs(side, slow[side.name] ?? [])),
  );
  const rate = await interleave(ROUNDS, toRuns(sides, toRate));
  const added = (/** @type {string} */ name) =>
    one[name]?.map((ms, round) => Math.max(0.001, ms - (one.direct?.[round] ?? 0))) ?? [];
  const figures = Object.keys(sides).filter((name) => name !== 'direct');
  for (const name of figures) {
    const isOurs = name.startsWith('holdfast');
    const rivals = OTHERS.filter((other) => other in sides).map(added);
    const best =
      rivals.length > 0 ? added(name).map((_, at) => Math.min(...rivals.map((ms) => ms[at] ?? 0))) : undefined;
    print({
      bench: 'gateway',
      what: 'call',
      transport: what,
      way: name,
      // Compared with the best of the others; if there are none, with one millisecond.
      ...toRatio(added(name), best ?? added(name).map(() => 1)),
      ...(isOurs && { aim: '<=1' }),
      addedP50Ms: toMedian(added(name)),
      addedP99Ms: toPercentile(slow[name] ?? [], 0.99) - toPercentile(slow.direct ?? [], 0.99),
      directP50Ms: toMedian(one.direct ?? []),
      callsPerSecond: toMedian(rate[name] ?? []),
      directPerSecond: toMedian(rate.direct ?? []),
      calls: CALLS,
      rounds: ROUNDS,
    });
  }
  await Promise.all([direct, ours, ...others].map((client) => client.close()));
}

/** @typedef {{ name: string, client: Client, tool: string }} Side */

/** @param {Record<string, { client: Client, tool: string }>} sides @param {(side: Side) => Promise<number>} run */
function toRuns(sides, run) {
  return Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, () => run({ name, ...side })]));
}

/** The median time of sequential calls. @param {Side} side @param {number[]} all */
async function toCallMs({ client, tool }, all) {
  const times = [];
  for (let call = 0; call < CALLS; call++) {
    const begunAt = performance.now();
    await callOnce(client, tool);
    times.push(performance.now() - begunAt);
  }
  all.push(...times);
  return toMedian(times);
}

/** Calls per second, with several in parallel. @param {Side} side */
async function toRate({ client, tool }) {
  let left = CALLS;
  const begunAt = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await callOnce(client, tool);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return (CALLS * 1000) / (performance.now() - begunAt);
}

/**
 * Every call has other arguments: an equal call would be joined to the first and get its result.
 * @param {Client} client @param {string} name
 */
async function callOnce(client, name) {
  calls += 1;
  const { content } = await client.request('tools/call', { name, arguments: { ms: calls } });
  if (content?.[0]?.text !== 'done') throw new Error(`${name} answered ${JSON.stringify(content)}`);
}

/** In front of the smallest possible server, and of one that people use. @param {string} dir */
async function measureStart(dir) {
  await compareStarts('smallest', (name) => openSide(name, dir));
  const server = await toPublished();
  await compareStarts('published', (name) => openSide(name, dir, { server }));
}

/** @param {string} server @param {(name: SideName) => ReturnType<typeof openSide>} open */
async function compareStarts(server, open) {
  const names = /** @type {const} */ (['direct', 'holdfast', 'holdfast-http', ...OTHERS]);
  const start = (/** @type {SideName} */ name) => async () => {
    const { client, startMs } = await open(name);
    await client.close();
    return startMs;
  };
  const figures = await interleave(STARTS, Object.fromEntries(names.map((name) => [name, start(name)])));
  for (const name of names.slice(1)) {
    print({
      bench: 'gateway',
      what: 'start',
      way: name,
      server,
      ...toRatio(figures[name] ?? [], figures.direct ?? []),
      ...(name === 'holdfast' && { aim: '<=1.5' }),
      answerMs: toMedian(figures[name] ?? []),
      directMs: toMedian(figures.direct ?? []),
      rounds: STARTS,
    });
  }
}

/**
 * The memory of each further upstream server in one gateway; the other gateways need a process for each.
 * @param {string} dir
 */
async function measureMemory(dir) {
  const measure = async (/** @type {SideName} */ name, upstreams = 1) => {
    const { client, mark } = await openSide(name, dir, { upstreams });
    await client.request('tools/list', {});
    const bytes = readOwnMemory(mark);
    await client.close();
    return bytes;
  };
  const [first, all] = [await measure('holdfast'), await measure('holdfast', UPSTREAMS)];
  const bytesPerUpstream = (all - first) / (UPSTREAMS - 1);
  for (const name of OTHERS) {
    const otherBytes = await measure(name);
    print({
      bench: 'gateway',
      what: 'memory',
      way: name,
      ratio: bytesPerUpstream / otherBytes,
      aim: '<=1',
      bytesPerUpstream,
      firstBytes: first,
      otherBytes,
    });
  }
}
