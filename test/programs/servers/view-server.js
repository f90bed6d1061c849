// @ts-check
/**
 * A server with views, whose clients give up soon.
 *
 * node view-server.js DIR [http]; the store lies in DIR. `publish` goes on when DIR/open is there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const RUNS = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>[a](javascript:window.ran=1)';

const server = createServer({
  name: 'views',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  identity: 'views',
  idleMs: 500,
  ui: true,
  profiles: { 'view-host': { giveUpMs: 3000 } },
  marginMs: 1000,
});

server.tool('publish', {
  description: 'Renders a report and asks before it publishes it',
  input: z.object({ year: z.number() }),
  async run({ year }, task) {
    await task.progress(0.4, 'Page 4 of 10');
    await until(() => task.signal.aborted || existsSync(join(dir, 'open')), { timeoutMs: 120_000 });
    const schema = z.object({ title: z.string(), isPublic: z.boolean() });
    const { title, isPublic } = await task.ask({ message: `Publish ${year}?`, schema });
    return `# Published\n\n${title}, public: ${isPublic} ${RUNS}`;
  },
});

server.tool('at_once', { run: () => `at once ${RUNS}` });

if (transport === 'http') {
  const { url } = await server.listen({ port: 0, unprotected: true });
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
}
