// @ts-check
import { join } from 'node:path';
import { fetchTool } from './fetch-tool.mjs';

const NEXT = { name: 'next', version: '16.4.6' };

/** Fetches Next and React, about 300 MB. @returns {Promise<string>} the folder with the packages */
export async function fetchNext() {
  return join(await fetchTool(NEXT), 'node_modules');
}
