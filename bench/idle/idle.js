// @ts-check
/** What do processes cost while nothing happens, compared with a bare SDK 2.x server in the same minutes? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { observe } from './processor-time.js';

const ROUNDS = isQuick ? 1 : 5;
const WINDOW_MS = isQuick ? 1000 : 20_000;
/** Long enough for idle workers to have exited, and for started processes to have become idle. */
const REST_MS = isQuick ? 4000 : 20_000;
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** The limit for a process, in percent of a core. */
const AIM_PERCENT = 0.05;

/** @typedef {{ pid: number, end: () => Promise<void> }} Running */

await withTempDir(async (dir) => {
  const all = await startAll(dir);
  const { sdk, ...ours } = all;
  await pause(REST_MS);
  const before = { server: readRss(all.server.pid), sdk: readRss(sdk.pid) };
  print({
    bench: 'idle',
    what: 'memory before the first task',
    ratio: before.server / before.sdk,
    aim: '<=1.15',
    rssBytes: before.server,
    sdkBytes: before.sdk,
  });
  const figures = await observe(all, { rounds: ROUNDS, windowMs: WINDOW_MS });
  for (const what of /** @type {(keyof typeof ours)[]} */ (Object.keys(ours))) {
    const percent = figures[what];
    // As a share of the limit: the SDK's figure is too close to zero to divide by.
    print({
      bench: 'idle',
      what,
      ratio: toMedian(percent) / AIM_PERCENT,
      aim: '<=1',
      cpuPercent: toMedian(percent),
      ...{ lowestPercent: Math.min(...percent), highestPercent: Math.max(...percent) },
      sdkPercent: toMedian(figures.sdk),
      aimPercent: AIM_PERCENT,
      rss: toRatio([readRss(all[what].pid)], [readRss(sdk.pid)]).ratio,
      windowMs: WINDOW_MS,
      rounds: ROUNDS,
    });
  }
  for (const one of Object.values(all)) await one.end();
});

/** @param {string} dir */
async function startAll(dir) {
  const places = Object.fromEntries(['server', 'worker', 'parked', 'host'].map((name) => [name, join(dir, name)]));
  for (const place of Object.values(places)) mkdirSync(place);
  const sdk = await startServer(['../server/server-sdk-plain.js', dir, 'stdio'], dir);
  const server = await startServer(['idle-program.js', '', 'server'], places.server);
  const withWorker = await startServer(['idle-program.js', '', 'worker'], places.worker);
  const parked = await startServer(['idle-program.js', '', 'server'], places.parked);
  await parked.ask('tools/call', { name: 'ask', arguments: {}, task: { ttl: 3_600_000 } });
  const host = await startHost(places.host ?? '');
  return {
    sdk,
    server,
    'server beside an idle worker': withWorker,
    'idle worker': toRunning(await findWorker(withWorker.pid)),
    'server with a parked question': parked,
    'waiting host': host,
    'server of the waiting host': toRunning(toPid(listChildren(host.pid)[0])),
  };
}

/**
 * Starts a server and lists its tools, as every client does.
 *
 * @param {readonly string[]} line
 * @param {string | undefined} place
 */
async function startServer([program = '', ...args], place) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HOLDFAST_DIR: place },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (/** @type {string} */ method, /** @type {object} */ params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    for (;;) {
      const { id, result, error } = JSON.parse((await lines.next()).value);
      if (id === undefined) continue;
      if (!result) throw new Error(`${program}: ${error?.message}`);
      return result;
    }
  };
  await ask('initialize', { ...CLIENT, capabilities: { tasks: { requests: {} } } });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  await ask('tools/list', {});
  const end = async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  };
  return { pid: toPid(child.pid), ask, end };
}

/** @param {string} dir */
async function startHost(dir) {
  const path = fileURLToPath(new URL('idle-program.js', import.meta.url));
  const child = spawn(process.execPath, [path, dir, 'host'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface(child.stdout), 'line');
  const end = async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  return { pid: toPid(child.pid), end };
}

/** Finds a server's worker, which it starts a moment after its client has listed the tools. @param {number} pid */
async function findWorker(pid) {
  for (let tries = 0; tries < 1000; tries++) {
    const found = listChildren(pid)[0];
    if (found !== undefined) return found;
    await pause(20);
  }
  throw new Error('the server did not start its worker');
}

/** A process that this program did not start itself. @param {number} pid */
function toRunning(pid) {
  const end = async () => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid);
    while (existsSync(`/proc/${pid}`)) await pause(20);
  };
  return { pid, end };
}

/** @param {number | undefined} pid */
function toPid(pid) {
  if (pid === undefined) throw new Error('a process could not be started');
  return pid;
}

/** @param {number} pid */
function listChildren(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function readRss(/** @type {number} */ pid) {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
