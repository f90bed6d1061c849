import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { startCli } from '../../cli/run-cli.ts';
import { isRunning } from '../../engine/workers/start-program.ts';
import type { Scene } from './open-scene.ts';

export interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly job_id?: string; readonly [key: string]: unknown };
  readonly result?: { readonly structuredContent?: Stage1; readonly [key: string]: unknown };
}

export interface Stage1 {
  readonly success: boolean;
  readonly data: { readonly job_id: string; readonly [key: string]: unknown };
}

/** The monitor of a scene as a process of its own. */
export function startMonitor(scene: Scene, ...args: string[]) {
  return startMonitorWith(scene, {}, ...args);
}

export function startMonitorWith({ database, config, folder }: Scene, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = startCli(['monitor', '--db', database, '--config', config, ...args], {
    HOLDFAST_DIR: join(folder, 'holdfast'),
    ...env,
  });
  child.stderr.resume();
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
    await endWorkers(join(folder, 'holdfast'));
  });
  return child;
}

/** A worker stays a while for more work; a test does not wait for that. */
async function endWorkers(directory: string): Promise<void> {
  const store = await openSqliteStore({ path: join(directory, 'holdfast', 'holdfast-monitor', 'tasks.db') });
  try {
    for (const { process: ref } of await store.workers.list()) {
      if (ref && (await isRunning(ref.pid))) process.kill(ref.pid, 'SIGKILL');
    }
  } finally {
    await store.close();
  }
}

/** A client of no SDK: it sends lines and keeps what comes back. */
export async function openWire(scene: Scene, ...args: string[]) {
  const child = startMonitor(scene, ...args);
  const frames: Frame[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => frames.push(JSON.parse(line)));
  let lastId = 0;
  const send = (frame: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  const request = async (method: string, params: object): Promise<Frame> => {
    lastId += 1;
    const id = lastId;
    send({ id, method, params });
    return until(() => frames.find((frame) => frame.id === id), { timeoutMs: 60_000 });
  };
  const clientInfo = { name: 'plain', version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  const call = (name: string, args = {}, _meta = {}) => request('tools/call', { name, arguments: args, _meta });
  /** A call that asks for a job. */
  const startJob = (name: string, args = {}) => call(name, args, { 'holdfast/job': true });
  return { child, frames, request, call, startJob };
}
