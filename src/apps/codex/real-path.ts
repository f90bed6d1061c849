import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Resolves the links of a path, as far as it exists. */
export async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await toRealPath(parent), basename(path));
  }
}
