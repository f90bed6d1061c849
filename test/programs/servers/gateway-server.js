// @ts-check
/**
 * A gateway before the servers that DIR/options.json names.
 *
 * node gateway-server.js DIR [http]; the store lies in DIR, and over HTTP its URL is printed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { createGateway } from 'holdfast/gateway';

const [dir = '', transport = 'stdio'] = process.argv.slice(2);
const options = JSON.parse(readFileSync(join(dir, 'options.json'), 'utf8'));

const gateway = createGateway({
  name: 'gateway',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  identity: 'gateway',
  idleMs: 500,
  leaseMs: 3000,
  unprotected: transport === 'http',
  ...options,
});

if (transport === 'http') {
  const { url, close } = await gateway.listen({ port: Number(process.env.PORT ?? 0), unprotected: true });
  const stop = async () => {
    await close();
    await gateway.close();
    process.exit();
  };
  process.once('SIGTERM', () => void stop());
  process.stdout.write(`${url}\n`);
} else {
  await gateway.serveStdio();
  await gateway.close();
}
