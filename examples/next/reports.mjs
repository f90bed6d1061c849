// @ts-check
import { createServer } from 'holdfast';
import { z } from 'zod';

// Everybody who reaches it is let in: on the loopback address, for trying it out. Give it a verify function for more.
export const server = createServer({
  name: 'reports-next',
  version: '1.0.0',
  unprotected: true,
  workerEntry: 'worker.mjs', // Next starts the program, and cannot be started twice: the worker is a file of its own
});

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
