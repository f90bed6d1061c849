// @ts-check
import { join } from 'node:path';
import { fetchTool } from './fetch-tool.mjs';

// The packages of different platforms are not published at the same time.
const VERSIONS = {
  22: { newest: '22.23.3', 'darwin-arm64': '22.23.2' },
  24: { newest: '24.21.0', 'darwin-arm64': '24.0.0' },
};

/**
 * Fetches another Node to test with.
 *
 * The npm package `node` only runs a script that installs the platform's package, so the latter is fetched directly.
 *
 * @param {keyof typeof VERSIONS} major
 * @returns {Promise<string>} the path of its binary
 */
export async function fetchNode(major) {
  const platform = `${process.platform}-${process.arch}`;
  const onAppleSilicon = platform === 'darwin-arm64';
  const name = onAppleSilicon ? `node-bin-${platform}` : `node-${platform}`;
  const version = VERSIONS[major][onAppleSilicon ? platform : 'newest'];
  const folder = await fetchTool({ name, version });
  return join(folder, 'node_modules', name, 'bin', 'node');
}
