// @ts-check
/**
 * A server of two-stage jobs.
 *
 * node jobs-server.js DIR OPTIONS; the store lies in DIR, where files open gates; OPTIONS are a server's, as JSON, and
 * `http` makes it serve on a port that it prints.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { z } from 'zod';

const [dir = '', given = '{}'] = process.argv.slice(2);
const { http = false, ...options } = JSON.parse(given);
const server = createServer({
  name: 'jobs',
  version: '1.0.0',
  store: await openSqliteStore({ path: join(dir, 'tasks.db') }),
  identity: 'jobs',
  idleMs: 500,
  leaseMs: 3000,
  ...options,
});

/** @param {string} gate @param {AbortSignal} signal */
const untilOpen = (gate, signal) =>
  until(() => existsSync(join(dir, gate)) || signal.aborted, { what: `gate ${gate}`, timeoutMs: 60_000 });

/** A tool that speaks in reports itself. @param {object} report */
const toResult = (report) => ({
  content: [{ type: 'text', text: JSON.stringify(report) }],
  structuredContent: report,
});

const SYNCED = {
  success: true,
  data: { files_processed: 500, files_skipped: 10, files_updated: 490, duration_seconds: 42.3 },
  messages: [{ type: 'success', text: 'Sync completed successfully' }],
};

const REFUSED = {
  success: false,
  data: {},
  messages: [{ type: 'error', text: 'Failed to sync: Permission denied', details: 'Full error traceback...' }],
};

server.tool('wksm_monitor_sync', {
  description: 'Sync files to monitor database',
  input: z.object({
    path: z.string().describe('Path to sync'),
    recursive: z.boolean().describe('Recurse into subdirectories').optional(),
  }),
  estimateMs: 45_000,
  async run({ path }, task) {
    if (path === '/forbidden') return { ...toResult(REFUSED), isError: true };
    if (path === '/broken') throw new Error('Failed to sync: Permission denied');
    await task.progress(0.3, 'Processing 150 of 500 files...');
    await task.progress(0.6, 'Processing 300 of 500 files...');
    return toResult(SYNCED);
  },
});

server.tool('steps', {
  description: 'Reports as many steps as it is told',
  input: z.object({ count: z.number().int() }),
  async run({ count }, task) {
    for (let step = 1; step <= count; step++) await task.progress(step / count, `Step ${step}`);
    return `${count} steps`;
  },
});

server.tool('wait', {
  description: 'Waits for its gate',
  input: z.object({ gate: z.string() }),
  async run({ gate }, task) {
    await task.progress(0.5, 'waiting');
    await untilOpen(gate, task.signal);
    return `${gate} is open`;
  },
});

server.tool('refuse', {
  description: 'Fails as a tool, in two lines',
  run: () => ({ content: [{ type: 'text', text: 'no paper\nin tray 2' }], isError: true }),
});

server.tool('break_off', {
  description: 'Fails with an error of the protocol',
  run() {
    throw Object.assign(new Error('paper jam'), { code: -32050 });
  },
});

server.tool('linger', {
  description: 'Takes longer than it may',
  maxRunMs: 100,
  run: (_, task) => untilOpen('never', task.signal),
});

server.tool('die', {
  description: 'Takes its worker with it',
  run: () => process.kill(process.pid, 'SIGKILL'),
});

server.tool('summary', {
  description: 'Has an output schema',
  output: z.object({ pages: z.number() }),
  run: () => ({ pages: 12 }),
});

server.tool('required', { description: 'Is always a task', task: 'always', run: () => 'done' });

server.tool('now', { description: 'Is never a task', task: 'never', run: () => 'done now' });

if (http) {
  const { url } = await server.listen({ port: 0, unprotected: true });
  process.stdout.write(`${url}\n`);
} else {
  await server.serveStdio();
  await server.close();
}
