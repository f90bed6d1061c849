import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TaskError } from '../errors.ts';
import { type Profiles, parseProfiles } from './clients/profiles.ts';

/** What the owner of this machine says about all servers on it. */
export interface Config {
  readonly profiles: Profiles;
}

/**
 * Reads `$HOLDFAST_CONFIG`, else `holdfast/config.json` in the user's configuration directory. A file that is not there
 * says nothing; one that is named must be there, and one that cannot be used is an error.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const named = env.HOLDFAST_CONFIG;
  const path = named || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast', 'config.json');
  const text = readText(path, named !== undefined && named !== '');
  if (text === undefined) return { profiles: {} };
  const value = parseJson(path, text);
  for (const field of Object.keys(value)) {
    if (field !== 'profiles')
      throw new TaskError('INVALID_ARGUMENT', `${path}: ${field} is not known; expected profiles`);
  }
  return { profiles: value.profiles === undefined ? {} : parseProfiles(value.profiles, `${path}: profiles`) };
}

function readText(path: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function parseJson(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `${path} is not JSON: ${(cause as Error).message}`, { cause });
  }
  throw new TaskError('INVALID_ARGUMENT', `${path} is not an object; expected { "profiles": { … } }`);
}
