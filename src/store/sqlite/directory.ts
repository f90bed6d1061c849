import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { toFingerprint } from '../../task/json.ts';

/** The name of a store's database inside its directory. */
export const DATABASE_FILE = 'tasks.db';

const MAX_FOLDER_NAME = 120;

/**
 * The directory of the store of a server with this name: `$HOLDFAST_DIR`, else the user's state directory, then
 * `holdfast/<name>`. Never the working directory: hosts start servers anywhere.
 */
export function resolveStoreDirectory(name: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(resolveStateDirectory(env), toFolderName(name));
}

/** The directory that holds the stores of this user, each in a folder of its own. */
export function resolveStateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return join(resolveBase(env), 'holdfast');
}

function resolveBase(env: NodeJS.ProcessEnv): string {
  if (env.HOLDFAST_DIR) return resolve(env.HOLDFAST_DIR);
  // https://specifications.freedesktop.org/basedir: a relative path must be ignored.
  if (env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)) return env.XDG_STATE_HOME;
  const home = env.HOME || homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return join(home, '.local', 'state');
}

/** Different names give different folders, and no name can leave the directory. */
function toFolderName(name: string): string {
  const safe = name.replace(/^\.|[^A-Za-z0-9._-]/gu, toEscape);
  if (safe.length <= MAX_FOLDER_NAME) return safe || '%';
  return `${safe.slice(0, MAX_FOLDER_NAME - 44)}%${toFingerprint(name)}`;
}

function toEscape(char: string): string {
  return Buffer.from(char, 'utf8').toString('hex').replace(/../g, '%$&');
}
