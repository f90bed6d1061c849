import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { TaskError } from '../errors.ts';
import { refusedField } from '../invalid-field.ts';
import { isObject } from '../is-object.ts';
import { onlyFields } from '../options/option-schemas.ts';
import { optionsParser } from '../options/options-parser.ts';
import { type Profiles, parseProfiles } from './clients/profiles.ts';

/** Configuration of all servers on this machine, by its owner. */
export interface Config {
  readonly profiles: Profiles;
}

/**
 * Reads `$HOLDFAST_CONFIG`, else `holdfast/config.json` in the user's configuration directory. A missing default file
 * means no configuration; a named file must exist, and an unusable file is an error.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const named = env.HOLDFAST_CONFIG;
  const path = named || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast', 'config.json');
  const text = readText(path, named !== undefined && named !== '');
  if (text === undefined) return { profiles: {} };
  const { profiles = {} } = parseFields(parseJson(path, text), { of: path });
  return { profiles: parseProfiles(profiles, `${path}: profiles`) };
}

// `parseProfiles` checks the contents, and names the file in its errors.
const parseFields = optionsParser(() => onlyFields({ profiles: z.unknown().optional() }));

function readText(path: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function parseJson(path: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `${path} is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (isObject(value)) return value;
  throw refusedField({ field: path, says: 'is not an object', expected: '{ "profiles": { … } }' });
}
