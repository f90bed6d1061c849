// @ts-check
import { join } from 'node:path';
import { fetchNode } from './fetch-node.mjs';
import { fetchTool } from './fetch-tool.mjs';

const INSPECTOR = { name: '@modelcontextprotocol/inspector', version: '2.12.0' };

/** Its programs do not start on an older Node. */
const NODE_MAJOR = 22;

/** Fetches MCP Inspector and a Node that can run it; throws if they cannot be fetched. */
export async function fetchInspector() {
  // One after the other, so that no download is still running when one of them fails.
  const node = await fetchNode(NODE_MAJOR);
  const folder = await fetchTool(INSPECTOR);
  const clients = join(folder, 'node_modules', INSPECTOR.name, 'clients');
  return {
    node,
    inspector: join(clients, 'launcher', 'build', 'index.js'),
    mcpdo: join(clients, 'mcpdo', 'build', 'mcp-bin.js'),
  };
}
