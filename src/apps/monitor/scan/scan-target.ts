import { lstatSync, realpathSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TaskError } from '../../../index.ts';
import { type MonitorConfig, parsePath } from '../config/config.ts';

/** What a path to sync turned out to be. */
export type ScanTarget =
  | { readonly kind: 'file' | 'directory' | 'missing'; readonly path: string }
  | { readonly kind: 'refused'; readonly path: string; readonly why: string }
  /** The system denied access; `code` is its error code. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly code: string };

/** Finds out what is at a path, and whether it may be read. */
export async function resolveTarget(given: string, config: MonitorConfig): Promise<ScanTarget> {
  const path = parseTarget(given);
  try {
    // Compares with links resolved, because a link could lead out of the roots.
    const real = await realpath(path);
    const outside = await findOutside([path, real], config);
    if (outside !== undefined) return { kind: 'refused', path, why: outside };
    const stats = await stat(path);
    // A link to a file is resolved first, because files are never opened through a link.
    if (stats.isFile()) return { kind: 'file', path: (await lstat(path)).isSymbolicLink() ? real : path };
    if (stats.isDirectory()) return { kind: 'directory', path };
    return { kind: 'refused', path, why: 'it is neither a file nor a directory' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return toUnreached(path, code, config);
  }
}

/** Parses an absolute path, one that begins with `~/`, or a `file:` URL. */
export function parseTarget(given: string): string {
  if (!given.startsWith('file:')) return parsePath(given, 'path');
  try {
    return parsePath(fileURLToPath(given), 'path');
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `path is ${JSON.stringify(given)}; expected an absolute path`, { cause });
  }
}

/** Whether what is at a path may be read, with links in the path resolved. */
export function isWithinRoots(path: string, { allowed_roots }: MonitorConfig): boolean {
  const roots = [...allowed_roots, ...allowed_roots.map(toRealNow)];
  return [path, toRealNow(path)].every((one) => isInRoots(one, roots));
}

/** Whether something exists at a path. For paths outside the roots nothing is revealed, even when links lead there. */
export function findPlace(path: string, { allowed_roots }: MonitorConfig): 'there' | 'missing' | 'outside' {
  const roots = [...allowed_roots, ...allowed_roots.map(toRealNow)];
  if (![path, toNearestReal(path)].every((one) => isInRoots(one, roots))) return 'outside';
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? 'missing' : 'there';
  } catch {
    // A denied access does not prove that nothing exists.
    return 'there';
  }
}

/** Resolves links as far as the path exists, and appends the rest unchanged. */
function toNearestReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(toNearestReal(dirname(path)), basename(path));
  }
}

function toRealNow(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether a path is one of the roots or inside one, comparing names only. */
function isInRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root === '/' ? '/' : `${root}/`));
}

async function toUnreached(path: string, code: string, config: MonitorConfig): Promise<ScanTarget> {
  const outside = await findOutside([path], config);
  if (outside !== undefined) return { kind: 'refused', path, why: outside };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    // A dangling link still exists.
    const isLink = await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    if (!isLink) return { kind: 'missing', path };
  }
  if (code === 'ELOOP') return { kind: 'refused', path, why: 'it is a symbolic link that leads back to itself' };
  return { kind: 'unreadable', path, code };
}

async function findOutside(paths: readonly string[], config: MonitorConfig): Promise<string | undefined> {
  const roots = await Promise.all(config.allowed_roots.map(toReal));
  const all = [...config.allowed_roots, ...roots];
  if (paths.every((path) => isInRoots(path, all))) return undefined;
  const expected = config.allowed_roots.join(', ') || 'none, because allowed_roots is empty';
  return `it lies outside the allowed roots; expected: ${expected}`;
}

function toReal(root: string): Promise<string> {
  return realpath(root).catch(() => root);
}
