// @ts-check
import { createServer } from 'holdfast';
import { z } from 'zod';

// Unprotected: anyone who can reach the loopback address may call it. Pass a verify function for production.
export const server = createServer({
  name: 'reports-next',
  version: '1.0.0',
  unprotected: true,
  workerEntry: 'worker.mjs', // Next owns the process and cannot run twice, so the worker has its own entry file
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
