import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { isInside, listFolders } from '../../app-kit/index.ts';

/** Lists of directories from which programs take code. An empty entry means the working directory in most of them. */
const LISTS = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH', 'NODE_PATH', 'PYTHONPATH'];

/** Makes Node load something before its program; by a name it is looked for in the working directory. */
const PRELOAD = /(?:^|\s)["']?(?:-r|--require|--import|--loader|--experimental-loader)\b/;

/**
 * The environment of Codex: that of this process, without what would have it, or what starts it, take code from a
 * directory that a run can write to. They are not sandboxed, so what an earlier run left there must not be found.
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
  // Without a PATH some programs look into the working directory.
  return { ...env, PATH: env.PATH ?? listFolders().join(delimiter) };
}

async function keepSafe(folders: readonly string[], writable: readonly string[]): Promise<string[]> {
  const flags = await Promise.all(folders.map((folder) => isSafe(folder, writable)));
  return folders.filter((_folder, at) => flags[at]);
}

async function isSafe(folder: string, writable: readonly string[]): Promise<boolean> {
  const real = await realpath(folder).catch(() => folder);
  // What lies beside the Node that runs this is run anyway.
  if (real === dirname(process.execPath) || !writable.some((one) => isInside(one, real))) return true;
  return access(real, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
