// @ts-check
/**
 * A server over HTTP with two kinds of tools: one whose owner switched the file-log contract on, one whose owner did not.
 *
 * node file-log-server.js DIR [ROOT…]; its store is DIR/store, the principal is what the authorization header says, and
 * its URL is printed. Files `open-…` in DIR open gates.
 */
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = '', ...roots] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'store', 'tasks.db') });
const server = createServer({
  name: 'file-log',
  version: '1.0.0',
  identity: 'file-log',
  workers: 'inline',
  shutdownGraceMs: 500,
  store,
  ...(roots.length > 0 && { promptRoots: roots }),
  verify: ({ headers }) => ({ issuer: 'test', subject: headers.get('authorization') ?? 'nobody' }),
});

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

const input = z.object({ text: z.string(), gate: z.string().optional() });
/** @type {import('holdfast').ServerTool<typeof input>} */
const tool = {
  input,
  async run({ text, gate }, task) {
    if (gate !== undefined) await untilOpen(gate, task.signal);
    return text;
  },
};
server.tool('on', { ...tool, asyncTask: { stateFileName: 'app_state.v1.json' } });
server.tool('off', tool);
const { url } = await server.listen({ port: 0 });
process.stdout.write(`${url}\n`);
