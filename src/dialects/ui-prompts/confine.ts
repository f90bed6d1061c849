/** Keeps paths that a peer or a plugin named inside a directory that the owner chose. */
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { toFieldError } from './field.ts';

// Deeper than any honest path; ends links that lead in circles.
const MOST_LINKS = 100;

export interface ConfineOptions {
  /** What the path is called in the configuration. */
  readonly field: string;
  /** An absolute path is legal as long as it lies inside. @default false */
  readonly allowAbsolute?: boolean;
  /** Any path is legal. @default false */
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
  if (path.includes('\0')) throw toFieldError(field, path, 'a path without NUL');
  if (allowOutside) return target;
  if (isAbsolute(path) && !allowAbsolute) throw toFieldError(field, path, `a path relative to ${root}`);
  const isInside = isBelow(resolve(root), target) && isBelow(await toRealPath(root), await toRealPath(target));
  if (!isInside) throw toFieldError(field, path, `a path inside ${root}, also behind its links`);
  return target;
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

async function toRealPath(path: string, hops = MOST_LINKS): Promise<string> {
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
