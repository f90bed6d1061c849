// @ts-check
import { join } from 'node:path';
import { fetchNode } from './fetch-node.mjs';
import { fetchTool } from './fetch-tool.mjs';

const MCPORTER = { name: 'mcporter', version: '0.12.3' };

/** It does not start on an older Node. */
const NODE_MAJOR = 24;

/** Fetches mcporter and a Node that can run it; throws if they cannot be fetched. */
export async function fetchMcporter() {
  // One after the other, so that no download is still running when one of them fails.
  const node = await fetchNode(NODE_MAJOR);
  const folder = await fetchTool(MCPORTER);
  return { node, mcporter: join(folder, 'node_modules', MCPORTER.name, 'dist', 'cli.js') };
}
