import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fetchTool } from '../../../scripts/fetched/fetch-tool.mjs';
import { runCommand } from '../../pins/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FETCH_MS = 120_000;
const FAULT = 'holdfast needs Node 20.19 or newer, and this is 18.20.8; install a newer one from https://nodejs.org';

/** Node 18 as npm has it for this machine. */
async function fetchNode18(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return join(await fetchTool({ name, version: '18.20.8' }), 'node_modules', name, 'bin', 'node');
}

describe('on Node 18', () => {
  it('[FIRST-311] the command line says one line and fails', { timeout: FETCH_MS }, async () => {
    const node = await fetchNode18();
    const main = join(ROOT, 'dist', 'cli', 'main.js');
    expect(await runCommand([node, main, '--version'])).toEqual({ code: 1, output: `${FAULT}\n` });
  });

  it.each(['holdfast', 'holdfast/host', 'holdfast/app-kit'])(
    '[FIRST-311] an import of %s fails with that line',
    { timeout: FETCH_MS },
    async (door) => {
      const node = await fetchNode18();
      const program = `import(${JSON.stringify(door)}).catch((error) => { console.log(error.message); process.exit(7); })`;
      const ran = await runCommand([node, '--input-type=module', '-e', program], { cwd: ROOT });
      expect(ran).toEqual({ code: 7, output: `${FAULT}\n` });
    },
  );
});
