// @ts-check
/**
 * A server whose tools tell in which environment they run: `whoami-server.js <folder> [words…]`.
 *
 * What is in `<folder>/plan.json` are options of the server (`server`), of its tools (`tool`) and what its first tool is
 * called (`name`). They are no part of what the program is.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, openSqliteStore } from 'holdfast';

const [folder = ''] = process.argv.slice(2);
const file = join(folder, 'plan.json');
const plan = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const whoami = () => `${process.env.TARGET}`;

// As a program does that sets what it needs itself.
process.env.STARTED_BY = `${process.env.STARTED_BY ?? ''}+whoami`;

const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
const server = createServer({ name: 'whoami', version: '1.0.0', store, idleMs: 60_000, ...plan.server });
server
  .tool(plan.name ?? 'whoami', { run: whoami, ...plan.tool })
  .tool('apart', { run: whoami, isolate: true })
  .tool('later', {
    idempotent: true,
    ...plan.tool,
    async run(_args, task) {
      while (!existsSync(join(folder, 'go'))) await pause(20, undefined, { signal: task.signal });
      return whoami();
    },
  });
await server.serveStdio();
process.exit(0);
