// @ts-check
/**
 * The programs of `idle.js`: node idle-program.js DIR server|worker|host
 *
 * `server` is what a user would write; its detached worker exits after being idle. `worker` is the same with a worker that
 * stays. `host` calls a tool of that server which asks a question, and waits: the question is never answered.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [dir = '', role = 'server'] = process.argv.slice(2);
if (role === 'host') await wait();
else await serve();

async function serve() {
  const { createServer } = await import('holdfast');
  const { z } = await import('zod');
  const stays = { idleMs: role === 'worker' ? 3_600_000 : 1000 };
  const server = createServer({ name: 'bench', version: '1.0.0', parkMs: 500, ...stays });
  server.tool('plain', { input: z.object({ ms: z.number() }), run: () => 'done' });
  server.tool('ask', {
    idempotent: true,
    inlineMs: 0,
    async run(_args, task) {
      const { go } = await task.ask({ key: 'go', message: 'Go?', schema: z.object({ go: z.boolean() }) });
      return `go: ${go}`;
    },
  });
  await server.serveStdio();
  await server.close();
}

async function wait() {
  const { createHost } = await import('holdfast/host');
  const onQuestion = () => {
    process.stdout.write('waits\n');
    return new Promise(() => {});
  };
  const host = await createHost({ ledger: join(dir, 'ledger.db'), onQuestion });
  const args = [fileURLToPath(import.meta.url), dir, 'server'];
  await host.connect('server', { command: process.execPath, args, env: { HOLDFAST_DIR: dir } });
  const call = await host.call('server', 'ask');
  await call.outcome();
}
