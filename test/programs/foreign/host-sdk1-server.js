// @ts-check
/**
 * A server on version 1 of the SDK, as it is published: a task that asks on the way, and a plain tool that takes its time.
 *
 * node host-sdk1-server.js DIR [http [STATUS]]; files in DIR open gates, and what happens is noted there. Requests with an
 * unknown session are refused with STATUS, 404 if it is not given.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const [dir = '', medium = 'stdio', status = '404'] = process.argv.slice(2);
const taskStore = new InMemoryTaskStore();
const taskMessageQueue = new InMemoryTaskMessageQueue();

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

/** @param {string} gate @param {AbortSignal} [signal] */
const untilOpen = (gate, signal) =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!signal?.aborted && !existsSync(join(dir, `open-${gate}`))) return;
      clearInterval(timer);
      resolve(undefined);
    }, 5);
  });

function createMcp() {
  const server = new McpServer(
    { name: 'sdk1', version: '1.0.0' },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue,
    },
  );

  server.experimental.tasks.registerToolTask(
    'ask',
    {
      description: 'Asks a name in the middle of a task',
      inputSchema: { label: z.string() },
      execution: { taskSupport: 'required' },
    },
    {
      async createTask({ label }, extra) {
        const task = await extra.taskStore.createTask({ ttl: 300_000, pollInterval: 50 });
        const { taskId } = task;
        note(`ask ${label} 1`);
        const work = async () => {
          await extra.taskStore.updateTaskStatus(taskId, 'input_required');
          const params = {
            mode: /** @type {const} */ ('form'),
            message: `Who is ${label}?`,
            requestedSchema: {
              type: /** @type {const} */ ('object'),
              properties: { name: { type: /** @type {const} */ ('string') } },
            },
          };
          const answer = await server.server.request({ method: 'elicitation/create', params }, ElicitResultSchema, {
            relatedTask: { taskId },
          });
          const text = `Hello, ${answer.content?.name ?? answer.action}!`;
          await extra.taskStore.storeTaskResult(taskId, 'completed', { content: [{ type: 'text', text }] });
        };
        work().catch((error) => note(`failed ${error}`));
        return { task };
      },
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_args, extra) =>
        /** @type {import('@modelcontextprotocol/sdk/types.js').CallToolResult} */ (
          await extra.taskStore.getTaskResult(extra.taskId)
        ),
    },
  );

  server.experimental.tasks.registerToolTask(
    'long',
    {
      description: 'Waits for its gate in a task',
      inputSchema: { gate: z.string() },
      execution: { taskSupport: 'required' },
    },
    {
      async createTask({ gate }, extra) {
        const task = await extra.taskStore.createTask({ ttl: 300_000, pollInterval: 50 });
        note(`long ${gate} 1`);
        const finish = () => {
          /** @type {import('@modelcontextprotocol/sdk/types.js').CallToolResult} */
          const result = { content: [{ type: 'text', text: `${gate} is done` }] };
          return extra.taskStore.storeTaskResult(task.taskId, 'completed', result);
        };
        untilOpen(gate)
          .then(finish)
          .catch((error) => note(`failed ${error}`));
        return { task };
      },
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_args, extra) =>
        /** @type {import('@modelcontextprotocol/sdk/types.js').CallToolResult} */ (
          await extra.taskStore.getTaskResult(extra.taskId)
        ),
    },
  );

  server.registerTool(
    'hold',
    { description: 'Waits for its gate', inputSchema: { gate: z.string() } },
    async ({ gate }, extra) => {
      note(`hold ${gate} 1`);
      const progressToken = extra._meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 4, message: 'holding' };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      await untilOpen(gate, extra.signal);
      if (extra.signal.aborted) note(`cancelled ${gate}`);
      return { content: [{ type: 'text', text: `${gate} is open` }] };
    },
  );

  server.registerTool(
    'query',
    { description: 'Asks a name while its call is held', inputSchema: { label: z.string() } },
    async ({ label }, extra) => {
      note(`query ${label} 1`);
      await untilOpen('query', extra.signal);
      const params = {
        mode: /** @type {const} */ ('form'),
        message: 'Who is it?',
        requestedSchema: {
          type: /** @type {const} */ ('object'),
          properties: { name: { type: /** @type {const} */ ('string') } },
        },
      };
      const answer = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
      return { content: [{ type: 'text', text: `${label} is ${answer.content?.name ?? answer.action}` }] };
    },
  );
  return server;
}

if (medium === 'http') {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  const http = createServer((request, response) => void serve(request, response));
  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const serve = async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return void response.writeHead(Number(status)).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        note('session');
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createMcp().connect(/** @type {any} */ (transport));
    return transport.handleRequest(request, response);
  };
  http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
    process.stdout.write(`http://127.0.0.1:${port}/\n`);
  });
} else {
  await createMcp().connect(new StdioServerTransport());
  process.stdin.on('close', () => process.exit());
}
