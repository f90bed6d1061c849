import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { isInside, listFolders } from '../../app-kit/index.ts';

/** Directory lists from which programs load code. An empty entry means the working directory in most of them. */
const LISTS = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH', 'NODE_PATH', 'PYTHONPATH'];

/** Options that make Node load a module before its program; a bare name is resolved from the working directory. */
const PRELOAD = /(?:^|\s)["']?(?:-r|--require|--import|--loader|--experimental-loader)\b/;

/**
 * Returns the environment of Codex: that of this process, without entries that would make Codex, or what starts it, load code
 * from a directory that a run can write to. Those programs are not sandboxed, so they must not find what an earlier run left
 * there.
 */
export async function toCodexEnvironment(writable: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS, ...rest } = process.env;
  const env: NodeJS.ProcessEnv = { ...rest };
  if (NODE_OPTIONS !== undefined && !PRELOAD.test(NODE_OPTIONS)) env.NODE_OPTIONS = NODE_OPTIONS;
  for (const name of LISTS) {
    if (env[name] === undefined) continue;
    const safe = await keepSafe(env[name].split(delimiter).filter(isAbsolute), writable);
    if (safe.length > 0) env[name] = safe.join(delimiter);
    else delete env[name];
  }
  // Without a PATH some programs search the working directory.
  return { ...env, PATH: env.PATH ?? listFolders().join(delimiter) };
}

async function keepSafe(folders: readonly string[], writable: readonly string[]): Promise<string[]> {
  const flags = await Promise.all(folders.map((folder) => isSafe(folder, writable)));
  return folders.filter((_folder, at) => flags[at]);
}

async function isSafe(folder: string, writable: readonly string[]): Promise<boolean> {
  const real = await realpath(folder).catch(() => folder);
  // Files beside the Node executable that runs this process are executed anyway.
  if (real === dirname(process.execPath) || !writable.some((one) => isInside(one, real))) return true;
  return access(real, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
