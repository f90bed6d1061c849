/** Keeps paths that a peer or a plugin named inside a directory that the owner chose. */

import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { invalidField } from '../../invalid-field.ts';
import { isInside } from '../../process/inside.ts';
import { makeDirectory } from '../../process/make-directory.ts';

// Deeper than any honest path; ends links that lead in circles.
const MAX_LINKS = 100;

/** How a path is kept inside a directory. */
export interface ConfineOptions {
  /** What the path is called in the configuration. */
  readonly field: string;
  /** An absolute path is expected as long as it lies inside. @default false */
  readonly allowAbsolute?: boolean;
  /** Any path is expected. @default false */
  readonly allowOutside?: boolean;
}

/**
 * The absolute path, which lies inside `root` whatever links there are on the way; throws `INVALID_ARGUMENT` otherwise.
 *
 * What does not exist yet is judged by the nearest directory that does.
 */
export async function resolveInside(root: string, path: string, options: ConfineOptions): Promise<string> {
  const { field, allowAbsolute = false, allowOutside = false } = options;
  const target = resolve(root, path);
  if (path.includes('\0')) throw invalidField(field, path, 'a path without NUL');
  if (allowOutside) return target;
  if (isAbsolute(path) && !allowAbsolute) throw invalidField(field, path, `a path relative to ${root}`);
  const isAllowed = isInside(resolve(root), target) && isInside(await toRealPath(root), await toRealPath(target));
  if (!isAllowed) throw invalidField(field, path, `a path inside ${root}, also behind its links`);
  return target;
}

export interface Roots {
  readonly roots: readonly string[];
  /** Whether a real path inside them is nobody's to name. */
  readonly isTaken?: (path: string) => boolean;
}

/**
 * The real path of a directory inside one of the roots, which is made when it is missing; nothing when it lies in none.
 *
 * Only an absolute path means the same to whoever named it. It is judged again when it is there: a link may have been put
 * in its way.
 */
export async function openInside(path: string, { roots, ...rest }: Roots): Promise<string | undefined> {
  if (!isAbsolute(path)) return undefined;
  for (const root of roots) {
    const inside = await findInside(path, { root, ...rest });
    if (inside === undefined) continue;
    await makeDirectory(inside);
    return findInside(await realpath(inside), { root: await realpath(root), ...rest });
  }
  return undefined;
}

async function findInside(path: string, { root, isTaken }: Omit<Roots, 'roots'> & { readonly root: string }) {
  try {
    const inside = await resolveInside(root, path, { field: 'path', allowAbsolute: true });
    return isTaken?.(await toRealPath(inside)) ? undefined : inside;
  } catch {
    return undefined;
  }
}

async function toRealPath(path: string, hops = MAX_LINKS): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path || hops === 0) throw error;
    const real = await toRealPath(parent, hops - 1);
    // A link whose target is missing would be followed by whoever creates the file.
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? join(real, basename(path)) : toRealPath(resolve(real, target), hops - 1);
  }
}
