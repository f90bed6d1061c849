// @ts-check
/**
 * A server on stdio with tools for every way a task of 2025-11-25 can go.
 *
 * node tasks-2025-server.js DIR [OPTIONS]; the store lies in DIR, OPTIONS is JSON for `taskResult`. With
 * `SLOW_CLOCK` in its environment a second is a millisecond to it, so that every answer is given fast.
 */
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { systemClock } from 'holdfast/store';
import { addSpecTools } from './tasks-2025-tools.js';

const [dir = '', options = '{}'] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({
  name: 'spec',
  version: '1.0.0',
  store,
  identity: 'spec',
  workers: 'inline',
  shutdownGraceMs: 500,
  taskResult: JSON.parse(options),
  ...(process.env.SLOW_CLOCK && { clock: { ...systemClock, monotonic: () => performance.now() / 1000 } }),
});
addSpecTools(server);
await server.serveStdio();
// Work that still waits for somebody is of no interest any more.
process.exit();
