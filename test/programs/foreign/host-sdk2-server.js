// @ts-check
/**
 * The smallest server of the tasks extension on version 2 of the SDK: it tells nobody, and must be asked.
 *
 * node host-sdk2-server.js DIR; files in DIR open gates, and what happens is noted there.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [dir = ''] = process.argv.slice(2);
const EXTENSION = 'io.modelcontextprotocol/tasks';
const TaskParams = { params: z.looseObject({ taskId: z.string() }) };
const ASK = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who is it?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

/** @type {Map<string, { gate?: string, name?: unknown, asks: boolean, isCancelled: boolean }>} */
const tasks = new Map();

/** @param {string} taskId */
function show(taskId) {
  const task = tasks.get(taskId);
  if (!task) throw new ProtocolError(-32602, 'Task not found');
  appendFileSync(join(dir, 'asked.txt'), `${taskId}\n`);
  const at = new Date().toISOString();
  const base = { taskId, createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 20 };
  if (task.isCancelled) return { ...base, status: 'cancelled' };
  if (task.asks && task.name === undefined) return { ...base, status: 'input_required', inputRequests: { who: ASK } };
  if (task.gate !== undefined && !existsSync(join(dir, `open-${task.gate}`))) return { ...base, status: 'working' };
  const text = task.asks ? `Hello, ${task.name}!` : `${task.gate} is open`;
  return { ...base, status: 'completed', result: { resultType: 'complete', content: [{ type: 'text', text }] } };
}

serveStdio(() => {
  const server = new Server(
    { name: 'sdk2', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [EXTENSION]: {} } } },
  );
  const inputSchema = /** @type {const} */ ({ type: 'object' });
  server.setRequestHandler('tools/list', async () => ({
    tools: [
      { name: 'wait', inputSchema },
      { name: 'ask', inputSchema },
    ],
  }));
  server.fallbackRequestHandler = async ({ params }) => {
    const { name, arguments: args = {} } = /** @type {{ name: string, arguments?: { gate?: string } }} */ (params);
    const taskId = randomUUID();
    tasks.set(taskId, { ...args, asks: name === 'ask', isCancelled: false });
    appendFileSync(join(dir, 'runs.txt'), `${name} ${args.gate ?? ''} 1\n`);
    const at = new Date().toISOString();
    const task = { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 20 };
    return /** @type {any} */ ({ resultType: 'task', ...task });
  };
  server.setRequestHandler('tasks/get', TaskParams, async ({ taskId }) => /** @type {any} */ (show(taskId)));
  server.setRequestHandler('tasks/cancel', TaskParams, async ({ taskId }) => {
    const task = tasks.get(taskId);
    if (task) task.isCancelled = true;
    appendFileSync(join(dir, 'runs.txt'), 'cancelled\n');
    return {};
  });
  server.setRequestHandler('tasks/update', TaskParams, async ({ taskId }, context) => {
    const task = tasks.get(taskId);
    const responses = /** @type {Record<string, any> | undefined} */ (context.mcpReq.inputResponses);
    if (task) task.name = responses?.who?.content?.name ?? 'nobody';
    return {};
  });
  return server;
});
