import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { isInside } from '../../../app-kit/index.ts';
import { toRealPath } from '../real-path.ts';

/**
 * Finds temporary directories that contain one of these paths, and returns the Codex config names that exclude them. By default
 * Codex counts temporary directories as part of every workspace.
 */
export async function findOpenTemporary(guarded: readonly string[]): Promise<string[]> {
  const names = { exclude_slash_tmp: '/tmp', exclude_tmpdir_env_var: process.env.TMPDIR || tmpdir() };
  const found: string[] = [];
  for (const [name, path] of Object.entries(names)) {
    const real = await toRealPath(resolve(path));
    if (guarded.some((one) => isInside(real, one))) found.push(name);
  }
  return found;
}
