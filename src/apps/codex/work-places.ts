/**
 * Where Codex may work: inside the roots that the owner gave, and never where it could write what decides how the next
 * run is run.
 *
 * Paths are compared as they really are, behind all links.
 */

import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../app-kit/index.ts';
import { TaskError } from '../../index.ts';
import { MAX_PATH_LENGTH } from './codex-limits.ts';
import { toRealPath } from './real-path.ts';

export interface WorkPlacesOptions {
  /** What the owner gave beside `start`. */
  readonly roots: readonly string[];
  /** Where the server was started: a root too, unless it holds something that is guarded. */
  readonly start: string;
  /** State, configuration and programs: no run may work in them, or where they are. */
  readonly guarded: readonly string[];
  /** What every run may write to beside its working directory. */
  readonly additional: readonly string[];
}

/** The same, behind all links. */
export interface WorkPlaces extends WorkPlacesOptions {
  /** Wherever some run may write: the roots, and what every run may write to. */
  readonly writable: readonly string[];
}

/** Resolves all links once; throws `INVALID_ARGUMENT` when a root is no directory, or a place cannot be what it is to be. */
export async function openWorkPlaces(options: WorkPlacesOptions): Promise<WorkPlaces> {
  const { roots, start, guarded, additional } = options;
  const given = await Promise.all(roots.map(toRoot));
  const home = await realpath(start);
  const kept = await Promise.all(guarded.map(toRealPath));
  // A home directory, or `/`, is where hosts start servers without a thought: it counts only when the owner says so.
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

/** A link in a root can be changed by a run, and would then lead the next one anywhere. */
async function checkFixed(path: string, roots: readonly string[]): Promise<void> {
  const target = join(await toRealPath(dirname(resolve(path))), basename(path));
  const real = await toRealPath(target);
  if (!roots.some((root) => isInside(root, target) && !isInside(root, real))) return;
  throw new TaskError('INVALID_ARGUMENT', `${path} is a link that runs can change; expected the directory it leads to`);
}

/**
 * The directory as it really is; throws `INVALID_ARGUMENT` when a run may not work there.
 *
 * Whether something outside the roots exists is not told.
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

/** Throws unless directories that were resolved before still are what they were. */
export async function checkUnmoved(directories: readonly string[]): Promise<void> {
  for (const path of directories) if ((await toRealPath(path)) !== path) throw movedError(path);
}

/** The same for a working directory, which must be expected still. */
export async function checkWorkingDirectory(path: string, places: WorkPlaces): Promise<void> {
  if ((await resolveWorkingDirectory(path, places)) !== path) throw movedError(path);
}

/**
 * Throws unless a process works in this directory. Whoever swaps a directory for a link between the check and the start
 * is found out here, before the process has been told what to do. Only where there is a `/proc`.
 */
export async function checkProcessDirectory(pid: number, path: string): Promise<void> {
  const found = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (found !== undefined && found !== path) throw movedError(path);
}

/** Whether one of these paths is this one, lies in it, or holds it. */
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
