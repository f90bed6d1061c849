// @ts-check
import { join } from 'node:path';
import { fetchTool } from './fetch-tool.mjs';

const ATTW = { name: '@arethetypeswrong/cli', version: '0.18.5' };

/**
 * Fetches the program that checks how a package's types are resolved; throws if it cannot be fetched.
 * @returns {Promise<string>} its path
 */
export async function fetchAttw() {
  return join(await fetchTool(ATTW), 'node_modules', '.bin', 'attw');
}
