// @ts-check
/** What does a page cost its server while nothing happens: a sandbox and a dashboard, with open pages and without? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toMedian } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { observe } from './processor-time.js';

const ROUNDS = isQuick ? 1 : 5;
const WINDOW_MS = isQuick ? 1000 : 20_000;
/** Long enough for the gateway to have tried its upstreams, and for idle workers to have exited. */
const REST_MS = isQuick ? 4000 : 20_000;
const PAGES = 5;
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The limit for a server, in percent of a core. */
const AIM_PERCENT = 0.1;

/** @typedef {{ pid: number, url: string, token: string, end: () => Promise<void> }} Served */

await withTempDir(async (dir) => {
  const bare = await serve(['sandbox', '--store', join(dir, 'bare')]);
  const open = await serve(['sandbox', '--store', join(dir, 'open')]);
  const dashboard = await serve(['dashboard', '--store', join(dir, 'bare', 'tasks.db')]);
  const leaving = new AbortController();
  for (const served of [open, dashboard]) await openPages(served, leaving.signal);
  await pause(REST_MS);
  const all = { 'sandbox without a page': bare, 'sandbox with pages': open, 'dashboard with pages': dashboard };
  const figures = await observe(all, { rounds: ROUNDS, windowMs: WINDOW_MS });
  for (const what of /** @type {(keyof typeof all)[]} */ (Object.keys(all))) {
    const percent = figures[what];
    print({
      bench: 'idle-page',
      what,
      ratio: toMedian(percent) / AIM_PERCENT,
      aim: '<=1',
      cpuPercent: toMedian(percent),
      ...{ lowestPercent: Math.min(...percent), highestPercent: Math.max(...percent) },
      ...{ aimPercent: AIM_PERCENT, pages: what.endsWith('pages') ? PAGES : 0, windowMs: WINDOW_MS, rounds: ROUNDS },
    });
  }
  leaving.abort();
  for (const served of [dashboard, open, bare]) await served.end();
});

/** @param {readonly string[]} words @returns {Promise<Served>} */
async function serve(words) {
  const child = spawn(process.execPath, [MAIN, ...words, '--json', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port, token } = JSON.parse(line);
  if (child.pid === undefined) throw new Error('the page could not be served');
  const end = async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  return { pid: child.pid, url: `http://127.0.0.1:${port}`, token, end };
}

/** Reads what a page reads, and subscribes to events as a page does. @param {Served} served @param {AbortSignal} signal */
async function openPages({ url, token }, signal) {
  const headers = { authorization: `Bearer ${token}` };
  for (let page = 0; page < PAGES; page++) {
    for (const path of ['state', 'tasks?limit=100']) await (await fetch(`${url}/api/${path}`, { headers })).text();
    const { body } = await fetch(`${url}/api/events`, { headers, signal });
    void drain(body);
  }
}

/** @param {ReadableStream<Uint8Array> | null} body */
async function drain(body) {
  try {
    for await (const _ of body ?? []);
  } catch {
    // The page was closed.
  }
}
