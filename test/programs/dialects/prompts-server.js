// @ts-check
/**
 * A Holdfast server whose tools answer through the log of prompts.
 *
 * node prompts-server.js DIR; its store is there, files in it open gates, and runs are noted in it.
 */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({ name: 'prompts', version: '1.0.0', store, promptRoots: [dir], idleMs: 500 });

/** @param {string} gate @param {AbortSignal} signal */
const untilOpen = (gate, signal) =>
  new Promise((resolve) => {
    const look = () => {
      if (!existsSync(join(dir, `open-${gate}`)) && !signal.aborted) return;
      watcher.close();
      resolve(undefined);
    };
    const watcher = watch(dir, look);
    signal.addEventListener('abort', look, { once: true });
    look();
  });

const input = z.object({ gate: z.string(), how: z.enum(['well', 'badly', 'thrown']).default('well') });
/** @type {import('holdfast').ServerTool<typeof input>} */
const app = {
  input,
  asyncTask: true,
  async run({ gate, how }, task) {
    appendFileSync(join(dir, 'runs.txt'), `ran ${gate}\n`);
    await task.progress(0.5, 'half way');
    await task.log('info', 'half way');
    await task.stream({ text: 'half way' });
    await untilOpen(gate, task.signal);
    task.signal.throwIfAborted();
    if (how === 'thrown') throw new Error('out of paper');
    if (how === 'badly') return { isError: true, content: [{ type: 'text', text: 'it jammed' }] };
    return `${gate} is open`;
  },
};
server.tool('app_run', app);
server.tool('app_again', { ...app, idempotent: true });
server.tool('plain', { input, run: () => 'plain answer' });
server.tool('asked', { asyncTask: { optional: 'asked' }, run: () => 'asked answer' });
await server.serveStdio();
await server.close();
await store.close();
