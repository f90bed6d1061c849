// @ts-check
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'holdfast';
import { openPostgresStore } from 'holdfast/postgres';
import { z } from 'zod';

const {
  DATABASE_URL,
  REPORTS_TOKEN = '',
  HOST = '127.0.0.1',
  PORT = '3000',
  ALLOWED_HOSTS = 'localhost,127.0.0.1',
} = process.env;
if (!DATABASE_URL || REPORTS_TOKEN.length < 16)
  throw new Error('DATABASE_URL and a REPORTS_TOKEN of 16 characters or more are needed');

const server = createServer({
  name: 'reports',
  version: '1.0.0',
  // Throws before anything is served if the schema belongs to another name, so that a wrong address does no harm.
  store: await openPostgresStore({ url: DATABASE_URL, name: 'reports' }),
  // Every machine runs the same program.
  identity: 'reports',
  // This process only accepts calls; `holdfast worker server.js` runs them.
  workers: 'none',
  verify: (request) => (carriesToken(request) ? { issuer: 'reports', subject: 'team' } : undefined),
  http: { allowedHosts: ALLOWED_HOSTS.split(',') },
});

/** @param {Request} request */
function carriesToken(request) {
  const [given, right] = [request.headers.get('authorization') ?? '', `Bearer ${REPORTS_TOKEN}`].map((text) =>
    Buffer.from(text),
  );
  return given?.length === right?.length && timingSafeEqual(given ?? Buffer.alloc(0), right ?? Buffer.alloc(0));
}

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

await server.start(); // in a worker this is the work loop, and never returns
const { url } = await server.listen({ host: HOST, port: Number(PORT) });
console.log(url);
