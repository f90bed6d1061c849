import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { TaskError } from '../errors.ts';

/** Where to search for a command. */
export interface CommandPlace {
  readonly cwd: string;
  readonly path: string | undefined;
}

/**
 * Returns the file that a command would run, or throws the reason why there is none.
 *
 * Follows execvp(3) with one exception: only absolute entries of `PATH` count. A relative or an empty entry would refer to a
 * directory that the user who set `cwd` can write to.
 */
export async function findCommand(command: string, place: CommandPlace): Promise<string> {
  await checkDirectory(command, place.cwd);
  let found = false;
  for (const file of toCandidates(command, place)) {
    if (await isExecutable(file)) return file;
    found ||= await isFile(file);
  }
  const where = command.includes('/') ? `relative to ${place.cwd}` : `on PATH (${place.path ?? DEFAULT_PATH})`;
  const problem = found ? 'is not executable' : `was not found ${where}`;
  throw new TaskError('SPAWN_FAILED', `cannot start ${JSON.stringify(command)}: it ${problem}`);
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Returns the absolute directories of a `PATH`: those that do not depend on the current directory. */
export function listFolders(path = DEFAULT_PATH): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

function toCandidates(command: string, place: CommandPlace): string[] {
  if (command === '') return [];
  if (command.includes('/')) return [resolve(place.cwd, command)];
  return listFolders(place.path).map((folder) => join(folder, command));
}

// Without this check a missing directory is reported as if the shell were missing.
async function checkDirectory(command: string, cwd: string): Promise<void> {
  const entry = await stat(cwd).catch(() => undefined);
  if (entry?.isDirectory()) return;
  throw new TaskError('SPAWN_FAILED', `cannot start ${JSON.stringify(command)}: its directory ${cwd} does not exist`);
}

async function isExecutable(file: string): Promise<boolean> {
  if (!(await isFile(file))) return false;
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isFile(file: string): Promise<boolean> {
  const entry = await stat(file).catch(() => undefined);
  return entry?.isFile() === true;
}
