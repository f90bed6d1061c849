/** The package as it is handed over: packed from a fresh copy of the repository, and unpacked somewhere else. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../pins/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What is not part of a checkout, or is made by packing. */
const MADE = ['node_modules', 'dist', '.cache', '.git', 'coverage', 'plugin/codex/codex_app/mcp-server.mjs'];
/** What documents may refer to though it is not packed: it is there in the repository. */
const SOURCES = /^(src|test|bench|examples)\//;
const BUILD_AND_PACK_MS = 300_000;

let dir = '';
const inPackage = (...parts: string[]) => join(dir, 'package', ...parts);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-packed-'));
  const copy = join(dir, 'checkout');
  const isKept = (path: string) => !MADE.includes(relative(ROOT, path));
  await cp(ROOT, copy, { recursive: true, filter: isKept });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await mkdir(inPackage());
  // Some machines are set up to run no scripts of packages; this is our own.
  const pack = ['npm', 'pack', '--ignore-scripts=false', '--pack-destination', dir];
  expect(await runCommand(pack, { cwd: copy })).toMatchObject({ code: 0 });
  const [tarball = ''] = (await readdir(dir)).filter((name) => name.endsWith('.tgz'));
  expect(await runCommand(['tar', 'xzf', join(dir, tarball), '-C', dir])).toMatchObject({ code: 0 });
}, BUILD_AND_PACK_MS);

afterAll(() => rm(dir, { recursive: true, force: true }));

/** Files that a document links to, from the root of the package. */
async function listLinks(document: string): Promise<string[]> {
  const text = await readFile(inPackage(document), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*$/, ''));
  const local = targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
  return local.map((target) => relative(inPackage(), resolve(inPackage(), dirname(document), target)));
}

describe('the packed package', () => {
  it('[SEC-190] has every document that its README links to', async () => {
    const links = await listLinks('README.md');
    expect(links).toContain('docs/codex.md');
    expect(links.filter((link) => !existsSync(inPackage(link)))).toEqual([]);
  });

  it('[SEC-190] has every document that its documents link to; sources they name are in the repository', async () => {
    const names = (await readdir(inPackage('docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
    const documents = names.map((name) => join('docs', name));
    expect(documents.length).toBeGreaterThan(10);
    for (const document of documents) {
      const missing = (await listLinks(document)).filter((link) => !existsSync(inPackage(link)));
      expect(
        missing.filter((link) => !(SOURCES.test(link) && existsSync(join(ROOT, link)))),
        document,
      ).toEqual([]);
    }
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

  it('[SEC-190] has what its own manifest names: doors, types and commands', async () => {
    const { exports, bin } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
    const files = Object.values({ ...exports, ...bin }).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target as Record<string, string>),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(inPackage(file)))).toEqual([]);
  });
});
