// @ts-check
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchTool } from './fetch-tool.mjs';

const OPENCODE = { name: 'opencode-ai', version: '1.18.33' };

/** @type {Promise<string> | undefined} */
let fetched;

/** Fetches opencode, more than 350 MB; throws if it cannot be fetched or does not run here. Returns its program's path. */
export function fetchOpencode() {
  // Cached, because asking a build for its version takes seconds.
  fetched ??= findProgram();
  return fetched;
}

async function findProgram() {
  const modules = join(await fetchTool(OPENCODE), 'node_modules');
  // The program itself is in optional dependencies of the package; there may be several builds, for different processors.
  const builds = (await readdir(modules)).filter((name) => name.startsWith('opencode-') && name !== OPENCODE.name);
  const failures = [];
  for (const build of builds) {
    const program = join(modules, build, 'bin', process.platform === 'win32' ? 'opencode.exe' : 'opencode');
    try {
      const { stdout } = await promisify(execFile)(program, ['--version']);
      if (stdout.trim() === OPENCODE.version) return program;
      failures.push(`${build} is ${stdout.trim()}`);
    } catch (error) {
      failures.push(`${build}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const why = failures.join('; ') || 'no build for it was installed';
  throw new Error(`${OPENCODE.name}@${OPENCODE.version} does not run on this machine: ${why}`);
}
