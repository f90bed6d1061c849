/** What a call says about where it is to run: its working directory, its data directory and its window. */
import { createHash } from 'node:crypto';
import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { resolveInside } from '../../dialects/ui-prompts/confine.ts';
import { TaskError } from '../../errors.ts';
import { isObject } from './codex-event.ts';
import type { CodexState } from './state.ts';

export type CallMeta = { readonly [key: string]: unknown };

export const STATE_FILE = 'codex_app_state.v1.json';

/** Where queues and locks of windows lie. */
export function toQueueDirectory(dataDir: string, windowId: string): string {
  return join(dataDir, 'codex_app_queue', createHash('sha256').update(windowId).digest('hex').slice(0, 32));
}

/** The directory a run works in; throws `INVALID_ARGUMENT` when there is no such directory. */
export async function findWorkingDirectory(meta: CallMeta, given?: string): Promise<string> {
  const uiApp = toUiApp(meta);
  const named = [given, uiApp.projectRoot, uiApp.sessionRoot, uiApp.workdir, meta.workdir, process.cwd()];
  const path = named.find((one): one is string => typeof one === 'string' && one.trim() !== '') ?? process.cwd();
  const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isDirectory) return realpath(path);
  throw new TaskError('INVALID_ARGUMENT', `the working directory ${path} does not exist, or is no directory`);
}

export interface DataPlaces {
  /** What the owner chose; then a call has no say. */
  readonly chosen: string | undefined;
  readonly usual: string;
  /** Where calls may choose a place. */
  readonly roots: readonly string[];
}

/** The data directory of a call: one of its own counts only inside the roots. */
export async function findDataDirectory(meta: CallMeta, { chosen, usual, roots }: DataPlaces): Promise<string> {
  const { dataDir } = toUiApp(meta);
  if (chosen !== undefined || typeof dataDir !== 'string' || dataDir === '') return chosen ?? usual;
  for (const root of roots) {
    const inside = resolveInside(root, dataDir, { field: 'dataDir', allowAbsolute: true });
    const found = await inside.catch(() => undefined);
    if (found !== undefined) return found;
  }
  return usual;
}

/** Makes the directory if need be; throws `STORE_NO_ACCESS` when nothing can be written there. */
export async function checkDataDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TaskError(
      'STORE_NO_ACCESS',
      `nothing can be written to the data directory ${path} (${code}); choose another with --data-dir`,
      { cause },
    );
  }
}

// Level by level: Node's own way never ends where a directory is there and takes no entries, as in /proc.
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || (await stat(parent).catch(() => undefined))) throw error;
    await makeDirectory(parent);
    await makeDirectory(path);
  }
}

/** The window of a directory. Its id follows from the directory, so that all processes agree without asking. */
export function findWindow({ windows }: CodexState, directory: string): { id: string; name: string } {
  const known = windows.findLast(({ defaultRunOptions, lastRunOptions }) =>
    [defaultRunOptions, lastRunOptions].some((options) => options?.workingDirectory === directory),
  );
  if (known) return { id: known.id, name: known.name };
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return { id: `win_${hash}`, name: basename(directory) || directory };
}

function toUiApp({ chatos }: CallMeta): { readonly [key: string]: unknown } {
  if (!isObject(chatos)) return {};
  return isObject(chatos.uiApp) ? chatos.uiApp : {};
}
