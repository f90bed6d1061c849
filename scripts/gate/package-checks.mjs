// @ts-check
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, npm, run } from '../run.mjs';

/**
 * Looks at the package as it would be published. It is packed once for all who look, which takes longer than they do.
 *
 * @type {import('./steps.mjs').Step['run']}
 */
export async function checkPackage(onOutput) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  try {
    const code = await npm('pack', '--ignore-scripts', '--pack-destination', folder);
    if (code !== 0) return code;
    const [name = ''] = await readdir(folder);
    const archive = join(folder, name);
    const options = onOutput && { onOutput };
    const contents = await run(bin('publint'), [archive, '--strict'], options);
    const types = await run(bin('attw'), [archive, '--profile', 'esm-only'], options);
    return contents || types;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
