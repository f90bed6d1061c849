// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { inRoot } from '../root.mjs';

/**
 * A server over HTTP, for tests and scripts.
 *
 * @typedef {object} Started
 * @property {string} url
 * @property {string} folder holds its store
 * @property {() => Promise<void>} stop
 */

const DEMO = ['demo', '--conformance'];
const HTTP = ['--http', '0', '--no-auth'];
const MAIN = inRoot('dist', 'cli', 'main.js');

/** Starts `holdfast demo --conformance` over HTTP, from the build, with its own store. @returns {Promise<Started>} */
export function startDemo() {
  return start([...DEMO, ...HTTP], ['holdfast-demo']);
}

/**
 * Starts the same demo on stdio, behind `holdfast gateway` over HTTP. The gateway's config says what a tools list in
 * 2026-07-28 cannot: which tools may only run as tasks.
 *
 * @returns {Promise<Started>}
 */
export async function startGatedDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-gated-'));
  const names = ['failing_job', 'protocol_error_job', 'sleep_once', 'stubborn', 'test_tool_with_task'];
  const tools = Object.fromEntries(names.map((name) => [name, { task: 'always' }]));
  const demo = { command: process.execPath, args: [MAIN, ...DEMO], passEnv: ['*'], tools };
  const config = join(folder, 'holdfast.json');
  await writeFile(config, JSON.stringify({ name: 'gated', mcpServers: { demo } }));
  const { stop, ...started } = await start(['gateway', '--config', config, ...HTTP], ['gated', 'holdfast-demo']);
  return { ...started, stop: () => stop().then(() => rm(folder, { recursive: true })) };
}

/** @param {string[]} args @param {string[]} stores whose workers are killed on stop @returns {Promise<Started>} */
async function start(args, stores) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const env = { ...process.env, NODE_NO_WARNINGS: '1', HOLDFAST_DIR: folder };
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const complaints = text(child.stderr);
  const { value: url } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (url === undefined) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`the demo server did not start: ${await complaints}`);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
    for (const store of stores) await endWorkers(join(folder, 'holdfast', store, 'tasks.db'));
    // The keeper of a server behind a gateway exits a moment later, so removal is retried.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  };
  return { url, folder, stop };
}

/**
 * Kills the workers of a store: they outlive their server, and would go on polling the store for a while.
 * @param {string} path
 */
export async function endWorkers(path) {
  const { openSqliteStore } = await import('holdfast');
  const store = await openSqliteStore({ path });
  try {
    for (const { process: worker } of await store.workers.list()) end(worker?.pid);
  } finally {
    await store.close();
  }
}

/** @param {number | undefined} pid */
function end(pid) {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
