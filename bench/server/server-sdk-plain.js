// @ts-check
/** The other side of the plain calls in `server.js`: the bare SDK 2.x. node server-sdk-plain.js DIR stdio|http */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [, transport = 'stdio'] = process.argv.slice(2);
const inputSchema = z.object({ ms: z.number() });

function create() {
  const mcp = new McpServer({ name: 'bench', version: '1.0.0' });
  mcp.registerTool('plain', { inputSchema }, () => ({ content: [{ type: 'text', text: 'done' }] }));
  const annotations = { readOnlyHint: true };
  mcp.registerTool('read', { inputSchema, annotations }, () => ({ content: [{ type: 'text', text: 'done' }] }));
  mcp.registerTool('write', { inputSchema }, () => ({ content: [{ type: 'text', text: 'done' }] }));
  return mcp;
}

if (transport === 'http') {
  const handle = toNodeHandler(createMcpHandler(create));
  const listener = createServer((request, response) => void handle(/** @type {never} */ (request), response));
  listener.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
} else {
  process.stdin.once('end', () => process.exit());
  serveStdio(create);
}
