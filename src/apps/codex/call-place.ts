/** What a call says about where it runs: its working directory, its data directory and its window. */

import { createHash } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findForeignWriter, isObject, makeDirectory, resolveInside } from '../../app-kit/index.ts';
import { LOCAL, TaskError } from '../../index.ts';
import { MAX_PATH_LENGTH } from './codex-limits.ts';
import { isWindowId } from './ids.ts';
import { toRealPath } from './real-path.ts';
import type { CodexState } from './state.ts';
import { resolveWorkingDirectory, touches, type WorkPlaces } from './work-places.ts';

export type CallMeta = { readonly [key: string]: unknown };

export const STATE_FILE = 'codex_app_state.v1.json';

/** The directory that holds the lock of a window. */
export function toLockDirectory(dataDir: string, windowId: string): string {
  return join(dataDir, 'codex_app_queue', createHash('sha256').update(windowId).digest('hex').slice(0, 32));
}

/** The queue of a window, shared by all principals that work in it with this data directory. */
export function toWindowQueue({ dataDir, windowId }: { readonly dataDir: string; readonly windowId: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([dataDir, windowId]))
    .digest('hex');
}

/** Returns the working directory that a call asks for; throws `INVALID_ARGUMENT` when it is not allowed. */
export function findWorkingDirectory(meta: CallMeta, places: WorkPlaces, given?: string): Promise<string> {
  const uiApp = toUiApp(meta);
  const named = [given, uiApp.projectRoot, uiApp.sessionRoot, uiApp.workdir, meta.workdir];
  const path = named.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return resolveWorkingDirectory(path ?? places.start, places);
}

export interface DataPlaces {
  /** The owner's choice; it overrides what a call says. */
  readonly chosen: string | undefined;
  readonly byDefault: string;
  /** Directories inside which a call may choose its data directory. */
  roots(): readonly string[];
}

/**
 * Returns the data directory of a call. A directory named by the call counts only inside the data roots and where no run can
 * write: a run that could write the state could decide how the next run is executed.
 */
export async function findDataDirectory(meta: CallMeta, data: DataPlaces, work: WorkPlaces): Promise<string> {
  const { chosen, byDefault } = data;
  const { dataDir } = toUiApp(meta);
  if (chosen !== undefined || typeof dataDir !== 'string' || dataDir === '') return chosen ?? byDefault;
  if (dataDir.length > MAX_PATH_LENGTH) return byDefault;
  for (const root of data.roots()) {
    const inside = resolveInside(root, dataDir, { field: 'dataDir', allowAbsolute: true });
    const found = await inside.catch(() => undefined);
    if (found !== undefined && !touches(work.writable, await toRealPath(found))) return found;
  }
  return byDefault;
}

/** The directory of a principal's state, separate so that principals cannot read each other's. */
export function toStateDirectory(dataDir: string, principal: string): string {
  if (principal === LOCAL) return dataDir;
  return join(dataDir, 'codex_app_principals', createHash('sha256').update(principal).digest('hex').slice(0, 32));
}

/** Creates the directory if needed; throws `STORE_NO_ACCESS` when it is not writable. */
export async function checkDataDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
    await access(path, constants.W_OK | constants.X_OK);
    await checkOwner(path);
  } catch (cause) {
    if (cause instanceof TaskError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw new TaskError(
      'STORE_NO_ACCESS',
      `nothing can be written to the data directory ${path} (${code}); choose another with --data-dir`,
      { cause },
    );
  }
}

/** Refuses a directory that another user of the machine can write to: its content decides how runs are executed. */
async function checkOwner(path: string): Promise<void> {
  const why = findForeignWriter(await stat(path));
  if (why === undefined) return;
  const remedy = 'choose another with --data-dir, that of the store with HOLDFAST_DIR, or make it yours alone';
  throw new TaskError('STORE_NO_ACCESS', `the data directory ${path} ${why}; ${remedy}`);
}

/**
 * Returns the window of a directory. Its id is derived from the directory, so all processes agree on it without communicating.
 */
export function findWindow({ windows }: CodexState, directory: string): { id: string; name: string } {
  const known = windows.findLast(
    ({ id, defaultRunOptions, lastRunOptions }) =>
      isWindowId(id) && [defaultRunOptions, lastRunOptions].some((one) => one?.workingDirectory === directory),
  );
  if (known) return { id: known.id, name: known.name };
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return { id: `win_${hash}`, name: basename(directory) || directory };
}

function toUiApp({ chatos }: CallMeta): { readonly [key: string]: unknown } {
  if (!isObject(chatos)) return {};
  return isObject(chatos.uiApp) ? chatos.uiApp : {};
}
