// @ts-check
/**
 * An app whose tool answers through the log of prompts, in one process, which is killed at one named point on the way.
 *
 * node prompt-crash.js DIR POINT HOLD_MS ID…; it calls its own tool once per id, ends when everything is told, and
 * then prints the points it passed. POINT `none` goes all the way.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, openSqliteStore } from 'holdfast';
import { armCrashPoint, recordCrashPoints, until } from 'holdfast/testing';
import { z } from 'zod';

const [dir = '', point = 'none', holdMs = '300', ...ids] = process.argv.slice(2);
const recording = point === 'none' ? recordCrashPoints() : undefined;
if (point !== 'none') armCrashPoint(point);

const store = await openSqliteStore({ path: join(dir, 'store', 'tasks.db') });
const times = { outboxVisibilityMs: Number(holdMs), superviseMs: 50, onError: () => {} };
const server = createServer({
  ...times,
  name: 'app',
  version: '1.0.0',
  identity: 'app',
  workers: 'inline',
  store,
  promptRoots: [dir],
});
server.tool('pay', {
  input: z.object({ to: z.string() }),
  asyncTask: { stateFileName: 'state.json' },
  run({ to }) {
    appendFileSync(join(dir, 'runs.txt'), `paid ${to}\n`);
    return `paid ${to}`;
  },
});
const listening = await server.listen({ port: 0, unprotected: true });
for (const id of ids) await call(id);
await until(
  async () => (await store.outbox.take({ topics: ['ui-prompts'], max: 0, holdMs: 0 })).nextDueAt === undefined,
  {
    what: 'the outbox to be empty',
    timeoutMs: 60_000,
  },
);
await listening.close();
await server.close();
await store.close();
for (const name of recording?.names ?? []) if (name.startsWith('prompt')) console.log(name);

/** @param {string} taskId */
async function call(taskId) {
  const meta = 'io.modelcontextprotocol/';
  const _meta = {
    [`${meta}protocolVersion`]: '2026-07-28',
    [`${meta}clientInfo`]: { name: 'self', version: '1' },
    [`${meta}clientCapabilities`]: {},
    taskId,
    chatos: { uiApp: { stateDir: dir, dataDir: dir } },
  };
  const params = { name: 'pay', arguments: { to: taskId }, _meta };
  const response = await fetch(listening.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'pay',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await response.text();
  if (!text.includes('"accepted"')) throw new Error(text);
  // The worker of this process has it before the next one is sent.
  await until(async () => (await store.tasks.list({ limit: 100 })).tasks.every((task) => task.outcome !== undefined));
}
