// @ts-check
import { z } from 'zod';

/**
 * A tool that takes its time, as the examples have it.
 *
 * @param {import('holdfast').HoldfastServer} server
 */
export function addReportTool(server) {
  server.tool('render_report', {
    input: z.object({ pages: z.number().int() }),
    idempotent: true,
    async run({ pages }, task) {
      for (let page = 1; page <= pages; page++) {
        await task.step(`page ${page}`, () => new Promise((resolve) => setTimeout(resolve, 200, page)));
        await task.progress(page / pages);
      }
      return `${pages} pages rendered`;
    },
  });
}
