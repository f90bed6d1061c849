/**
 * Where Codex may work: inside the roots that the owner gave, and never where it could write files that decide how the next run
 * is executed.
 *
 * Paths are compared after resolving all links.
 */

import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../app-kit/index.ts';
import { TaskError } from '../../index.ts';
import { MAX_PATH_LENGTH } from './codex-limits.ts';
import { toRealPath } from './real-path.ts';

export interface WorkPlacesOptions {
  /** Roots that the owner gave, in addition to `start`. */
  readonly roots: readonly string[];
  /** Where the server was started: also a root, unless it contains something guarded. */
  readonly start: string;
  /** State, configuration and programs: no run may work in them, or in a directory that contains them. */
  readonly guarded: readonly string[];
  /** Directories that every run may write to, in addition to its working directory. */
  readonly additional: readonly string[];
}

/** `WorkPlacesOptions` with all links resolved. */
export interface WorkPlaces extends WorkPlacesOptions {
  /** Everywhere some run may write: the roots and the additional directories. */
  readonly writable: readonly string[];
}

/** Resolves all links once; throws `INVALID_ARGUMENT` when a root is not a directory, or a path is not allowed in its role. */
export async function openWorkPlaces(options: WorkPlacesOptions): Promise<WorkPlaces> {
  const { roots, start, guarded, additional } = options;
  const given = await Promise.all(roots.map(toRoot));
  const home = await realpath(start);
  const kept = await Promise.all(guarded.map(toRealPath));
  // Hosts often start servers in a home directory or `/` without intent, so these count only when the owner names them.
  const isBroad = kept.some((path) => isInside(home, path));
  const open = isBroad ? given : [home, ...given];
  for (const path of [...roots, ...additional]) await checkFixed(path, open);
  const shared = await Promise.all(additional.map((path) => toAdditional(path, kept)));
  return { roots: open, start: home, guarded: kept, additional: shared, writable: [...open, ...shared] };
}

async function toAdditional(directory: string, guarded: readonly string[]): Promise<string> {
  const real = await toRealPath(resolve(directory));
  if (!touches(guarded, real)) return real;
  throw new TaskError(
    'INVALID_ARGUMENT',
    `additionalDirectories has ${JSON.stringify(directory)}, where runs could change how Codex is run; expected ` +
      'directories apart from the state (--data-dir), the config and the home of Codex',
  );
}

/** Throws for a link inside a root: a run could change it to point anywhere, and so redirect the next run. */
async function checkFixed(path: string, roots: readonly string[]): Promise<void> {
  const target = join(await toRealPath(dirname(resolve(path))), basename(path));
  const real = await toRealPath(target);
  if (!roots.some((root) => isInside(root, target) && !isInside(root, real))) return;
  throw new TaskError('INVALID_ARGUMENT', `${path} is a link that runs can change; expected the directory it leads to`);
}

/**
 * Returns the resolved working directory; throws `INVALID_ARGUMENT` when a run may not work there.
 *
 * Does not reveal whether something outside the roots exists.
 */
export async function resolveWorkingDirectory(path: string, places: WorkPlaces): Promise<string> {
  checkPath(path);
  const target = resolve(places.start, path);
  const real = await realpath(target).catch(() => undefined);
  if (!isInRoots(real ?? target, places)) throw outsideError(path);
  const entry = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || !entry?.isDirectory()) {
    throw new TaskError('INVALID_ARGUMENT', `the working directory ${path} does not exist, or is no directory`);
  }
  if (touches(places.guarded, real)) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      `the working directory ${path} holds or is part of what Codex and this server keep for themselves; expected another`,
    );
  }
  return real;
}

/** Throws unless already resolved directories still resolve to themselves. */
export async function checkUnmoved(directories: readonly string[]): Promise<void> {
  for (const path of directories) if ((await toRealPath(path)) !== path) throw movedError(path);
}

/** Throws unless a working directory still resolves to itself and is still allowed. */
export async function checkWorkingDirectory(path: string, places: WorkPlaces): Promise<void> {
  if ((await resolveWorkingDirectory(path, places)) !== path) throw movedError(path);
}

/**
 * Throws unless a process has this working directory. Detects a directory that was replaced by a link between the check and the
 * start, before the process gets its prompt. Works only where there is a `/proc`.
 */
export async function checkProcessDirectory(pid: number, path: string): Promise<void> {
  const found = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (found !== undefined && found !== path) throw movedError(path);
}

/** Whether one of these paths equals, contains or is inside this one. */
export function touches(paths: readonly string[], path: string): boolean {
  return paths.some((one) => isInside(one, path) || isInside(path, one));
}

function isInRoots(path: string, { roots }: WorkPlaces): boolean {
  return roots.some((root) => isInside(root, path));
}

function checkPath(path: string): void {
  if (path.length > MAX_PATH_LENGTH || path.includes('\0')) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      `the working directory has ${path.length} characters; expected a path of at most ${MAX_PATH_LENGTH}, without NUL`,
    );
  }
}

async function toRoot(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  const entry = real === undefined ? undefined : await stat(real);
  if (real !== undefined && entry?.isDirectory()) return real;
  throw new TaskError('INVALID_ARGUMENT', `the root ${path} does not exist; expected a directory`);
}

function outsideError(path: string): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    `the working directory ${path} lies outside the roots of this server; its owner adds one with --root DIR`,
  );
}

function movedError(path: string): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    `the directory ${path} was replaced by another meanwhile; expected one inside the roots (--root DIR)`,
  );
}
