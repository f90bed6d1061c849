/** Where clients may place prompt logs: inside roots that the owner configured, and never where the server keeps its own. */

import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { TaskError } from '../../../errors.ts';
import { invalidField } from '../../../invalid-field.ts';
import { isInside } from '../../../process/inside.ts';
import type { IncomingCall, ServerPort } from '../../server-port.ts';
import { openInside } from '../confine.ts';
import { PROMPTS_FOLDER } from '../log/own-log.ts';
import { STATE_ROOT_VARIABLE } from '../state-root.ts';

/**
 * Returns the real path of a directory that a call names, and creates it when it is missing; undefined where the call
 * may not name one.
 */
export async function openNamed(port: ServerPort, call: IncomingCall, path: string): Promise<string | undefined> {
  const roots = toRoots(port, call);
  const { directory } = await port.openEngine();
  if (directory === undefined) return openInside(path, { roots }).catch(() => undefined);
  const store = await realpath(directory);
  // Not next to the database, and not where the logs of other principals are.
  const isTaken = (real: string) => real === store || isInside(join(store, PROMPTS_FOLDER), real);
  return openInside(path, { roots, isTaken }).catch(() => undefined);
}

/** A client that started this process gains nothing by naming a directory in its home. A client over HTTP has no home here. */
function toRoots({ settings }: ServerPort, { caller }: IncomingCall): readonly string[] {
  if (settings.promptRoots) return settings.promptRoots;
  if (!caller.isLocal) return [];
  const named = (process.env[STATE_ROOT_VARIABLE] ?? '').split(delimiter);
  return [homedir(), ...named].filter((root) => isAbsolute(root) && root !== '/');
}

/** Returns the error for a call whose host would never find its result. */
export function outsideError(field: 'stateDir', value: unknown): TaskError {
  const expected =
    'an absolute path inside the roots that the owner of the server gave, with promptRoots or --state-root';
  return invalidField(`_meta.chatos.uiApp.${field}`, value, expected);
}
