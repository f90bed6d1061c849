// A server whose tool asks for a form with objects in it, one of whose rules only the server knows.
import { createServer } from 'holdfast';
import { z } from 'zod';

const schema = z.object({
  name: z.string(),
  address: z.object({ city: z.string(), zip: z.string().regex(/^\d{5}$/) }),
});

const server = createServer({ name: 'nested', version: '1.0.0' });
server.tool('book', {
  description: 'Asks where to',
  idempotent: true,
  async run(_args, task) {
    const { name, address } = await task.ask({ message: 'Where to?', schema });
    return `${name} goes to ${address.zip} ${address.city}`;
  },
});
await server.serveStdio();
