/** The package as it is handed over: packed from a fresh copy of the repository, and unpacked somewhere else. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fetchAttw } from '../../../scripts/fetched/attw.mjs';
import { endWorkers } from '../../../scripts/servers/demo-server.mjs';
import { findDeadLinks } from '../../docs/links.ts';
import { runCommand } from '../../pins/run-command.ts';
import { packCheckout } from './pack-checkout.ts';

const BUILD_AND_PACK_MS = 300_000;

let dir = '';
let tarball = '';
const inPackage = (...parts: string[]) => join(dir, 'package', ...parts);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-packed-'));
  tarball = await packCheckout(dir);
  await mkdir(inPackage());
  expect(await runCommand(['tar', 'xzf', tarball, '-C', dir])).toMatchObject({ code: 0 });
}, BUILD_AND_PACK_MS);

afterAll(() => rm(dir, { recursive: true, force: true }));

describe('the packed package', () => {
  it('[SEC-190] [FIRST-507] has every file and heading that its documents link to', async () => {
    const names = await readdir(inPackage(), { recursive: true });
    expect(names).toContain(join('docs', 'codex.md'));
    expect(await findDeadLinks(new Set(names), (name) => readFile(inPackage(name), 'utf8'))).toEqual([]);
  });

  it('[SEC-190] has every file that the manifest of its plugin names, and its server runs', async () => {
    const manifest = JSON.parse(await readFile(inPackage('plugin', 'codex', 'plugin.json'), 'utf8'));
    for (const { entry, ai } of manifest.apps) {
      for (const file of [entry.path, ai.mcp.entry])
        expect(existsSync(inPackage('plugin', 'codex', file)), file).toBe(true);
      const server = inPackage('plugin', 'codex', ai.mcp.entry);
      const env = { ...process.env, HOME: dir, HOLDFAST_DIR: join(dir, 'store'), XDG_CACHE_HOME: join(dir, 'cache') };
      // With nobody at its other end it serves nobody, and ends; it was not told either where Codex may work.
      const ended = await runCommand([process.execPath, server, ...ai.mcp.args], { env, cwd: dir });
      expect(ended).toEqual({ code: 0, output: expect.stringMatching(/^holdfast: .* --root DIR, .*\n$/) });
    }
  });

  it('[PKG-15] has types that every resolution of an ES module finds', async () => {
    const { code, output } = await runCommand([await fetchAttw(), tarball, '--profile', 'esm-only']);
    expect(code, output).toBe(0);
  });

  it('[SEC-190] has what its own manifest names: doors, types and commands', async () => {
    const { exports, bin } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
    const files = Object.values({ ...exports, ...bin }).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target as Record<string, string>),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(inPackage(file)))).toEqual([]);
  });

  it(
    '[FIRST-418] makes a server with `init`, which installs it, compiles, passes its test and can be called',
    async () => {
      const cwd = join(dir, 'reports');
      const env = { ...process.env, HOLDFAST_DIR: join(dir, 'state') };
      const make = [process.execPath, inPackage('dist', 'cli', 'main.js'), 'init', cwd];
      expect(await runCommand(make, { env, cwd: dir })).toMatchObject({ code: 0 });
      const install = ['npm', 'install', '--no-audit', '--no-fund', tarball];
      expect(await runCommand(install, { env, cwd })).toMatchObject({ code: 0 });
      expect(await runCommand(['npm', 'test'], { env, cwd })).toMatchObject({ code: 0 });
      onTestFinished(() => endWorkers(join(dir, 'state', 'holdfast', 'reports', 'tasks.db')));
      const called = await runCommand(['npm', 'run', 'call'], { env, cwd });
      expect(called).toMatchObject({ code: 0, output: expect.stringContaining('rendered 20 pages') });
    },
    BUILD_AND_PACK_MS,
  );
});
