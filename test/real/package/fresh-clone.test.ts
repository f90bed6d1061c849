import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../pins/run-command.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const NOT_IN_A_CLONE = ['node_modules', 'dist', '.cache', '.git', 'coverage'];
const INSTALL_AND_RUN_MS = 900_000;
// Ten seconds on a machine that does nothing else.
const STORY_MS = 300_000;

describe('a fresh clone', () => {
  let clone: string;

  beforeAll(async () => {
    clone = await mkdtemp(join(tmpdir(), 'holdfast-clone-'));
    const isSource = (path: string) => !NOT_IN_A_CLONE.includes(relative(root, path));
    await cp(root, clone, { recursive: true, filter: isSource });
  });
  afterAll(() => rm(clone, { recursive: true, force: true }));

  it('[PKG-01] needs only npm start', { timeout: INSTALL_AND_RUN_MS }, async () => {
    const { code, output } = await runCommand(['npm', 'start'], { cwd: clone });
    expect(code, output).toBe(0);
    expect(output).toContain('Installing dependencies…');
  });

  it('[PKG-02] [PKG-03] tells the whole story again, and installs nothing', { timeout: STORY_MS }, async () => {
    const { code, output } = await runCommand(['npm', 'start'], { cwd: clone });
    expect(code, output).toBe(0);
    expect(output).not.toContain('Installing dependencies…');
    expect(output).toMatch(/Worker \d+ died in the middle of four tasks, and worker \d+ went on/);
  });
});
