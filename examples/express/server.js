// @ts-check
import express from 'express';
import { createServer } from 'holdfast';
import { z } from 'zod';

// Unprotected: anyone who can reach the loopback address may call it. Pass a verify function for production.
const server = createServer({ name: 'reports-express', version: '1.0.0', unprotected: true });

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

const app = express();
app.use(express.json()); // an already parsed body is used as it is
app.all('/mcp', server.node);

const port = Number(process.env.PORT ?? 3000);
app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`));
