// @ts-check
/**
 * A server whose one tool streams as fast as requested, with its worker in the same process: the path of a line of Codex
 * output, without Codex, its app and the state file. node codex-streamer.js DIR
 */
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { z } from 'zod';
import { paceBursts, toMark } from './codex-pace.js';

const [dir = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({ name: 'streamer', version: '1.0.0', store, workers: 'inline' });
server.tool('pour', {
  input: z.object({ count: z.number(), size: z.number() }),
  stream: true,
  async run({ count, size }, task) {
    await paceBursts({ count, size }, (index) => task.stream({ source: 'codex', event: toMark(index) }));
    return 'poured';
  },
});
await server.serveStdio();
