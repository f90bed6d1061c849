// @ts-check
/**
 * A server over HTTP as others write them, on the SDK: it knows no tasks, and answers a call on its connection or never.
 *
 * node plain-http-server.js DIR older|newer; older is version 1 of the SDK, with sessions and streams that can be resumed,
 * newer is 2026-07-28, where a call whose connection is closed is cancelled. Files in DIR open gates, and what happens is
 * noted there.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [dir = '', era = 'newer'] = process.argv.slice(2);
const INFO = { name: 'plain-http', version: '1.0.0' };
const annotations = { readOnlyHint: true, idempotentHint: true };
const description = 'Waits for its gate';

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);

/** @param {string} gate @param {AbortSignal} signal */
const untilOpen = (gate, signal) =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!signal.aborted && !existsSync(join(dir, `open-${gate}`))) return;
      clearInterval(timer);
      resolve(undefined);
    }, 5);
  });

/** @param {string} tool @param {string} gate @param {AbortSignal} signal */
async function hold(tool, gate, signal) {
  note(`${tool} ${gate}`);
  await untilOpen(gate, signal);
  if (signal.aborted) note(`cancelled ${gate}`);
  return { content: [{ type: /** @type {const} */ ('text'), text: `${gate} is open` }] };
}

function createNewer() {
  const server = new McpServer(INFO);
  const inputSchema = z.object({ gate: z.string() });
  server.registerTool('hold', { description, inputSchema }, ({ gate }, { mcpReq }) =>
    hold('hold', gate, mcpReq.signal),
  );
  server.registerTool('read', { description, inputSchema, annotations }, ({ gate }, { mcpReq }) =>
    hold('read', gate, mcpReq.signal),
  );
  return server;
}

function createOlder() {
  const server = new OlderServer(INFO, { capabilities: { logging: {} } });
  const inputSchema = { gate: z.string() };
  server.registerTool('hold', { description, inputSchema }, ({ gate }, { signal }) => hold('hold', gate, signal));
  server.registerTool('read', { description, inputSchema, annotations }, ({ gate }, { signal }) =>
    hold('read', gate, signal),
  );
  server.registerTool('cut', { description, inputSchema }, ({ gate }, { signal, closeSSEStream }) => {
    closeSSEStream?.();
    return hold('cut', gate, signal);
  });
  server.registerTool('tell', { description, inputSchema }, async ({ gate }, { signal, sendNotification }) => {
    const params = { level: /** @type {const} */ ('warning'), data: { message: `about ${gate}`, gate } };
    await sendNotification({ method: 'notifications/message', params });
    return hold('tell', gate, signal);
  });
  server.registerTool('ask', { description, inputSchema }, async ({ gate }, extra) => {
    await hold('ask', gate, extra.signal);
    const requestedSchema = {
      type: /** @type {const} */ ('object'),
      properties: { name: { type: /** @type {const} */ ('string') } },
    };
    const params = { mode: /** @type {const} */ ('form'), message: `Who is ${gate}?`, requestedSchema };
    const answer = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    return { content: [{ type: 'text', text: `${gate} is ${answer.content?.name ?? answer.action}` }] };
  });
  return server;
}

/** Keeps what was sent on each stream, so that it can be sent again. */
function createEventStore() {
  /** @type {{ id: string, stream: string, message: any }[]} */
  const events = [];
  return {
    /** @param {string} stream @param {any} message */
    async storeEvent(stream, message) {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    /** @param {string} last @param {{ send: (id: string, message: any) => Promise<void> }} to */
    async replayEventsAfter(last, { send }) {
      note('resumed');
      const at = events.findIndex(({ id }) => id === last);
      const stream = events[at]?.stream ?? '';
      for (const event of events.slice(at + 1)) if (event.stream === stream) await send(event.id, event.message);
      return stream;
    },
  };
}

function serveOlder() {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventStore(),
      retryInterval: 50,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await createOlder().connect(/** @type {any} */ (transport));
    return transport.handleRequest(request, response);
  };
}

const serve = era === 'older' ? serveOlder() : toNodeHandler(createMcpHandler(createNewer));
const http = createServer((request, response) => {
  if (request.headers.authorization !== 'Bearer sk-kept') return void response.writeHead(401).end();
  void serve(/** @type {any} */ (request), response);
});
http.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  process.stdout.write(`http://127.0.0.1:${port}/\n`);
});
