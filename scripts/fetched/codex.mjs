// @ts-check
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchTool } from './fetch-tool.mjs';

const CODEX = { name: '@openai/codex', version: '0.166.0' };

/** Fetches the Codex CLI, more than 400 MB; throws if it cannot be fetched or does not run here. Returns its program's path. */
export async function fetchCodex() {
  const folder = await fetchTool(CODEX);
  const codex = join(folder, 'node_modules', '.bin', 'codex');
  const { stdout } = await promisify(execFile)(codex, ['--version']).catch((error) => {
    throw new Error(`${CODEX.name}@${CODEX.version} does not run on this machine: ${error.message}`, { cause: error });
  });
  // The program itself is an optional dependency of the package; this check proves that it was installed.
  if (!stdout.includes(CODEX.version)) throw new Error(`${codex} is ${stdout.trim()}, not ${CODEX.version}`);
  return codex;
}
