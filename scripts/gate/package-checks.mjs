// @ts-check
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inRoot, readManifest } from '../root.mjs';
import { bin, run } from '../run.mjs';

/**
 * Checks the files that the manifest names, in a folder with only the files of the package. Packing takes longer than this
 * check; `npm run test:real` does pack it, and checks the types as well.
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
