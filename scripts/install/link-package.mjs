// @ts-check
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot, readManifest } from '../root.mjs';

/**
 * Creates in a folder what `npm i holdfast zod` would, as links to this checkout.
 *
 * @param {string} folder
 * @param {string} [place] the folder of the built package
 */
export async function linkPackage(folder, place = inRoot('.')) {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(place, join(modules, 'holdfast'));
  await symlink(inRoot('node_modules', 'zod'), join(modules, 'zod'));
  const command = join(modules, '.bin', 'holdfast');
  // npm makes the file executable; in a checkout it is not.
  await writeFile(command, `#!/bin/sh\nexec node '${join(place, readManifest().bin.holdfast)}' "$@"\n`);
  await chmod(command, 0o755);
}
