// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { inRoot } from './root.mjs';

/**
 * `holdfast demo --conformance` over HTTP, from the build, on a store of its own.
 *
 * @returns {Promise<{ url: string, folder: string, stop: () => Promise<void> }>} `folder` holds its store
 */
export async function startDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const args = [inRoot('dist', 'cli', 'main.js'), 'demo', '--conformance', '--http', '0', '--no-auth'];
  const env = { ...process.env, NODE_NO_WARNINGS: '1', HOLDFAST_DIR: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
    await endWorkers(join(folder, 'holdfast', 'holdfast-demo', 'tasks.db'));
    await rm(folder, { recursive: true, force: true });
  };
  return { url, folder, stop };
}

/** Workers outlive their server, and would look for their store a little longer. @param {string} path */
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
