import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { openSqliteStore } from 'holdfast';
import { expect, it, onTestFinished } from 'vitest';
import { THREAD_SOURCE } from '../../../dist/engine/heartbeat/thread-source.js';

it.each(['commonjs', 'module'])(
  '[ROOMS-227] the heartbeat thread is one text, which Node may take for a %s',
  async (type) => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-thread-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
    onTestFinished(() => store.close());
    const thread = new Worker(THREAD_SOURCE, {
      eval: true,
      execArgv: [`--input-type=${type}`],
      workerData: {
        ownUrl: pathToFileURL(join(process.cwd(), 'package.json')).href,
        source: store.heartbeat,
        workerId: 'nobody',
        leaseMs: 30,
        maxBlockMs: 60_000,
        watched: { names: [], counts: new SharedArrayBuffer(0), movable: [] },
        counter: new SharedArrayBuffer(4),
        turn: new SharedArrayBuffer(8),
      },
    });
    const heard: unknown[] = [];
    thread.on('message', (message) => heard.push(message));
    const ended = once(thread, 'exit');
    expect(await once(thread, 'message')).toEqual([{ type: 'loaded' }]);
    thread.postMessage('begin');
    // It beats: the store knows no such worker, and says so.
    await expect.poll(() => heard, { timeout: 60_000 }).toContainEqual({ type: 'state', state: undefined });
    thread.postMessage('stop');
    await ended;
  },
);
