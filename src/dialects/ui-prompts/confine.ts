/** Keeps paths that a peer or a plugin named inside a directory that the owner chose. */

import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { invalidField } from '../../invalid-field.ts';
import { isInside } from '../../process/inside.ts';
import { makeDirectory } from '../../process/make-directory.ts';

// Deeper than any legitimate path; stops at circular links.
const MAX_LINKS = 100;

/** How a path is confined to a directory. */
export interface ConfineOptions {
  /** The name of the path in the configuration. */
  readonly field: string;
  /** Whether an absolute path is allowed, as long as it is inside. @default false */
  readonly allowAbsolute?: boolean;
  /** Whether any path is allowed. @default false */
  readonly allowOutside?: boolean;
}

/**
 * Returns the absolute path, which is inside `root` even after all links are resolved; throws `INVALID_ARGUMENT`
 * otherwise.
 *
 * A path that does not exist yet is judged by its nearest existing directory.
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
  /** Whether a real path inside the roots is reserved, so that no caller may name it. */
  readonly isTaken?: (path: string) => boolean;
}

/**
 * Returns the real path of a directory inside one of the roots, and creates it when it is missing; undefined when it is
 * in none.
 *
 * Only an absolute path means the same to the peer that named it. It is checked again once it exists: a link may have
 * been put in its path.
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
    // A dangling link would be followed when the file is created, so its target is what counts.
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? join(real, basename(path)) : toRealPath(resolve(real, target), hops - 1);
  }
}
