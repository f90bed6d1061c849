// @ts-check
/** The other side of the tasks in `server.js`, in memory: SDK 1.x. node server-sdk-tasks.js DIR stdio|http */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const [, transport = 'stdio'] = process.argv.slice(2);
const server = new McpServer(
  { name: 'bench', version: '1.0.0' },
  {
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: new InMemoryTaskStore(),
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);

/** @param {number} ms @returns {Promise<import('@modelcontextprotocol/sdk/types.js').CallToolResult>} */
async function work(ms) {
  if (ms > 0) await pause(ms);
  return { content: [{ type: 'text', text: 'done' }] };
}

server.experimental.tasks.registerToolTask(
  'work',
  { inputSchema: { ms: z.number() }, execution: { taskSupport: 'required' } },
  {
    async createTask({ ms }, { taskStore }) {
      const task = await taskStore.createTask({ ttl: 60_000 });
      void work(ms).then((result) => taskStore.storeTaskResult(task.taskId, 'completed', result));
      return { task };
    },
    getTask: async (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
    getTaskResult: async (_args, { taskId, taskStore }) =>
      /** @type {import('@modelcontextprotocol/sdk/types.js').CallToolResult} */ (
        await taskStore.getTaskResult(taskId)
      ),
  },
);

if (transport === 'http') {
  const http = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await server.connect(/** @type {never} */ (http));
  const listener = createServer((request, response) => void http.handleRequest(request, response));
  listener.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
} else {
  process.stdin.once('end', () => process.exit());
  await server.connect(new StdioServerTransport());
}
