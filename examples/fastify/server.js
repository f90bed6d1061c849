// @ts-check
import { fastify } from 'fastify';
import { createServer } from 'holdfast';
import { z } from 'zod';

// Unprotected: anyone who can reach the loopback address may call it. Pass a verify function for production.
const server = createServer({ name: 'reports-fastify', version: '1.0.0', unprotected: true });

server.tool('render_report', {
  description: 'Render a report, page by page',
  input: z.object({ pages: z.number().int() }),
  idempotent: true,
  async run({ pages }, task) {
    for (let page = 1; page <= pages; page++) {
      await task.step(`page ${page}`, () => new Promise((resolve) => setTimeout(resolve, 200, page)));
      await task.progress(page / pages, `Page ${page} of ${pages}`);
    }
    return `${pages} pages rendered`;
  },
});

await server.start(); // before the app listens: in the worker this is the work loop, and never returns

const app = fastify();
app.all('/mcp', (request, reply) => {
  reply.hijack(); // the answer is written by server.node
  return server.node(request.raw, reply.raw, request.body); // Fastify has read the body by now
});

const port = Number(process.env.PORT ?? 3000);
await app.listen({ port, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${port}/mcp`);
