// @ts-check
/** The Holdfast side of `server.js`: node server-holdfast.js DIR stdio|http inline|detached */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = '', transport = 'stdio', workers = 'inline'] = process.argv.slice(2);
const server = createServer({
  name: 'bench',
  version: '1.0.0',
  identity: `bench-${transport}-${workers}`,
  store: await openSqliteStore({ path: join(dir, `${transport}-${workers}.db`) }),
  workers: workers === 'detached' ? 'detached' : 'inline',
  concurrency: 64,
  queueLimit: 10_000,
  idleMs: 2000,
});

server.tool('work', {
  input: z.object({ ms: z.number() }),
  async run({ ms }) {
    if (ms > 0) await pause(ms);
    return 'done';
  },
});
server.tool('quick', {
  idempotent: true,
  quickMs: 20,
  annotations: { readOnlyHint: true },
  input: z.object({ ms: z.number() }),
  run: () => 'done',
});
server.tool('plain', { task: 'never', input: z.object({ ms: z.number() }), run: () => 'done' });
server.tool('asks', {
  idempotent: true,
  inlineMs: 0,
  async run(_args, task) {
    const { go } = await task.ask({ key: 'go', message: 'Go?', schema: z.object({ go: z.boolean() }) });
    return `go: ${go}`;
  },
});
server.tool('usage', {
  task: 'never',
  run() {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    return JSON.stringify({ heapUsed, rss });
  },
});

server.tool('cpu', {
  task: 'never',
  run() {
    const { user, system } = process.cpuUsage();
    return String((user + system) / 1000);
  },
});

if (transport === 'http') {
  const { url } = await server.listen({ port: 0, unprotected: true });
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
  process.exit();
}
