// @ts-check
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inRoot, readManifest } from '../root.mjs';
import { bin, run } from '../run.mjs';

/**
 * Looks at what the manifest names, in a folder that has nothing but the files of the package. To pack it takes longer than to
 * look at it; `npm run test:real` does, and looks at the types as well.
 *
 * @type {import('./steps.mjs').Step['run']}
 */
export async function checkPackage(onOutput) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  try {
    for (const name of ['package.json', ...(readManifest().files ?? [])]) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await symlink(inRoot(name), join(folder, name));
    }
    return await run(bin('publint'), [folder, '--strict', '--pack', 'false'], onOutput && { onOutput });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
