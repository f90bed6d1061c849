// @ts-check
/**
 * A server of 2026-07-28 on version 2 of the SDK, with a resource and a tool that changes it.
 *
 * node modern-server.js
 */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const URI = 'made://one';

serveStdio(() => {
  const mcp = new McpServer(
    { name: 'modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  mcp.registerResource('one', URI, {}, async () => ({ contents: [{ uri: URI, text: 'one' }] }));
  mcp.registerTool('change', { description: 'Changes the resource, and adds a tool' }, async () => {
    await mcp.server.sendResourceUpdated({ uri: URI });
    mcp.registerTool('later', { description: 'Came later' }, async () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'changed' }] };
  });
  return mcp;
});
