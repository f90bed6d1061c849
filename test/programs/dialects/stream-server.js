// @ts-check
/**
 * A server whose runs are streamed.
 *
 * node stream-server.js DIR WORKERS; its store is there, or in memory without one. `open` opens a gate that runs wait
 * for; who has handed over many lines says so on stderr.
 */
import { join } from 'node:path';
import { createMemoryStore, createServer, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';

const [dir = '', workers = 'inline'] = process.argv.slice(2);
const store = dir === '' ? createMemoryStore() : await openSqliteStore({ path: join(dir, 'tasks.db') });
const server = createServer({
  name: 'my-app',
  version: '1.0.0',
  store,
  workers: workers === 'detached' ? workers : 'inline',
  concurrency: 4,
  idleMs: 500,
});

/** @type {Set<string>} */
const gates = new Set();

const input = z.object({
  /** What is handed over, in order. */
  pieces: z.array(z.any()).default([]),
  /** How many more lines are handed over, and how long each is. */
  lines: z.number().default(0),
  length: z.number().default(100),
  /** What is waited for before and after. */
  start: z.string().optional(),
  gate: z.string().optional(),
  result: z.any().optional(),
  fails: z.string().optional(),
});

/** @type {import('holdfast').ServerTool<typeof input>['run']} */
const run = async ({ pieces, lines, length, start, gate, result = 'done', fails }, task) => {
  /** @param {string | undefined} name */
  const untilOpen = (name) =>
    name === undefined || until(() => gates.has(name) || task.signal.aborted, { what: name, timeoutMs: 60_000 });
  await untilOpen(start);
  for (const piece of pieces) await task.stream(piece);
  for (let line = 0; line < lines; line++) await task.stream({ source: 'raw', text: `${line} ${'x'.repeat(length)}` });
  if (lines > 0) process.stderr.write(`handed over ${lines} lines\n`);
  await untilOpen(gate);
  if (fails !== undefined) throw new Error(fails);
  return result;
};

server.tool('run', { input, stream: true, run });
server.tool('window_run', {
  input,
  asyncTask: { optional: true },
  prepare: ({ meta }) => ({ window: String(meta.window ?? 'w-1') }),
  stream: {
    app: 'codex_app',
    describe: (prepared) => ({ windowId: /** @type {{ window: string }} */ (prepared).window }),
  },
  run,
});
server.tool('asked', { input, run });
server.tool('structured', { output: z.object({ n: z.number() }), stream: true, run: () => ({ n: 1 }) });
server.tool('silent', { input, stream: false, run });
server.tool('open', {
  input: z.object({ gate: z.string() }),
  task: 'never',
  run: ({ gate }) => {
    gates.add(gate);
    return 'open';
  },
});
await server.serveStdio();
await server.close();
await store.close();
