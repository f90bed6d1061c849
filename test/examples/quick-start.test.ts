import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'examples/quick-start/quick-start.js');

describe('the example of docs/engine.md', () => {
  it('[PKG-13] is the program in examples/quick-start', async () => {
    const page = await readFile(join(root, 'docs/engine.md'), 'utf8');
    const code = (await readFile(program, 'utf8')).replace('// @ts-check\n', '');
    expect(page).toContain(`\`\`\`js\n${code}\`\`\``);
  });

  it('runs, and joins the same task when it is run again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-quick-start-'));
    try {
      const first = await run(directory);
      const second = await run(directory);
      expect(first).toContain('progress Page 1 of 3\n');
      expect(first).toContain("{ kind: 'result', value: 'published' }");
      expect(second).toBe(first);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

async function run(directory: string): Promise<string> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, HOLDFAST_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  return output;
}
