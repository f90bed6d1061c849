// @ts-check
/**
 * A server on stdio that acknowledges tasks of 2025-11-25 and keeps them in its memory alone: what it has promised is
 * gone with its process. `node forgetful-server.js [MS]`; without an SDK, so that it starts quickly.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';

const [ms = '1500'] = process.argv.slice(2);
/** @type {Map<string, { endAt: number, text: string }>} */
const tasks = new Map();
const TTL_MS = 3_600_000;
const DATE = new Date(0).toISOString();

/** @param {string} taskId */
const toTask = (taskId) => {
  const task = tasks.get(taskId);
  if (!task) throw new Error(`there is no task ${taskId}`);
  const status = performance.now() < task.endAt ? 'working' : 'completed';
  return { taskId, status, createdAt: DATE, lastUpdatedAt: DATE, ttl: TTL_MS, pollInterval: 200 };
};

/** @type {Record<string, (params: any) => object | Promise<object>>} */
const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: 'forgetful', version: '1' },
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
  }),
  'tools/call'({ arguments: { callId } }) {
    const taskId = randomUUID();
    tasks.set(taskId, { endAt: performance.now() + Number(ms), text: `done ${callId}` });
    return { task: toTask(taskId) };
  },
  'tasks/get': ({ taskId }) => toTask(taskId),
  'tasks/list': () => ({ tasks: [...tasks.keys()].map(toTask) }),
  'tasks/cancel': ({ taskId }) => ({ ...toTask(taskId), status: 'cancelled' }),
  async 'tasks/result'({ taskId }) {
    // Waits for the end, as the protocol says.
    while (toTask(taskId).status === 'working') await new Promise((next) => setImmediate(next));
    return { content: [{ type: 'text', text: tasks.get(taskId)?.text ?? '' }] };
  },
};

/** @param {{ id?: unknown, method?: string, params?: any }} message */
async function answer({ id, method = '', params }) {
  if (id === undefined) return;
  const handler = METHODS[method];
  try {
    if (!handler) return send({ id, error: { code: -32601, message: `there is no method ${method}` } });
    send({ id, result: await handler(params ?? {}) });
  } catch (error) {
    send({ id, error: { code: -32602, message: error instanceof Error ? error.message : String(error) } });
  }
}

/** @param {object} message */
const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line));
