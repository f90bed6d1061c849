// @ts-check
/**
 * A server whose tools ask for passwords: node secret-server.js DIR; the store lies in DIR/store.
 */
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';

const [dir = ''] = process.argv.slice(2);
const server = createServer({
  name: 'secrets',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'store', 'tasks.db') }),
  identity: 'secrets',
  idleMs: 500,
  leaseMs: 3000,
  inlineMs: 200,
});

const Login = z.object({
  user: z.string(),
  password: z.string().meta({ format: 'password' }),
  pin: z.string().meta({ writeOnly: true }),
});

const tell = (/** @type {z.output<typeof Login>} */ { user, password, pin }) =>
  `${user} has a password of ${password.length} and a pin of ${pin.length} characters`;

server.tool('log_in', {
  description: 'Asks for a password while it works',
  idempotent: true,
  async run(_args, task) {
    return tell(await task.ask({ key: 'login', message: 'Who are you?', schema: Login }));
  },
});

server.tool('log_in_first', {
  description: 'Asks for a password before it works',
  idempotent: true,
  upfront: () => ({ login: { message: 'Who are you?', schema: Login } }),
  async run(_args, task) {
    return tell(Login.parse(task.upfront.login));
  },
});

server.tool('log_in_badly', {
  description: 'Asks for a password before it works, and repeats it',
  upfront: () => ({ login: { message: 'Who are you?', schema: Login } }),
  async run(_args, task) {
    const { password, pin } = Login.parse(task.upfront.login);
    await task.log('info', `with ${password}`);
    throw new Error(`no access with ${password} and ${pin}`);
  },
});

await server.serveStdio();
