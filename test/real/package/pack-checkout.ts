import { cp, readdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCommand } from '../../pins/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What is not part of a checkout, or is made by packing. */
const MADE = ['node_modules', 'dist', '.cache', '.git', 'coverage', 'plugin/codex/codex_app/mcp-server.mjs'];

/** Packs a fresh copy of the repository, with all that is built on the way; returns the path of the tarball. */
export async function packCheckout(dir: string): Promise<string> {
  const copy = join(dir, 'checkout');
  await cp(ROOT, copy, { recursive: true, filter: (path) => !MADE.includes(relative(ROOT, path)) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // Some machines are set up to run no scripts of packages; this is our own.
  const pack = ['npm', 'pack', '--ignore-scripts=false', '--pack-destination', dir];
  expect(await runCommand(pack, { cwd: copy })).toMatchObject({ code: 0 });
  const [tarball = ''] = (await readdir(dir)).filter((name) => name.endsWith('.tgz'));
  return join(dir, tarball);
}
