/** Servers of the MCP SDKs in the same process. */
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { begin, finish } from '../e2e/raw-task.ts';
import { openMirror } from './mirror/open-mirror.ts';

function create1() {
  const server = new McpServer1({ name: 'one', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { a: z.number() } }, async ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
  }));
  return server;
}

function create2() {
  const server = new McpServer2({ name: 'two', version: '1.0.0' });
  server.registerTool('add', { inputSchema: z.object({ a: z.number() }) }, async ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
  }));
  return server;
}

describe.each([
  ['1', create1],
  ['2', create2],
] as const)('a server of version %s of the SDK', (_, create) => {
  it('[GATE-221] gets tasks by one line', async () => {
    const mirror = await openMirror({ upstream: create(), inlineMs: 0 });
    const client = await mirror.client('legacy');
    const taskId = await begin(client, 'add', { a: 41 });
    expect(await finish(client, taskId)).toEqual({ text: '42' });
    const { result } = await client.request('tools/call', { name: 'add', arguments: { a: 'x' } });
    expect(result).toMatchObject({ isError: true });
  });
});
