/** Where clients may place logs of prompts: inside roots that the owner gave, and never where the server keeps its own. */

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

/** The real path of a directory that a call names, which is made when it is missing; nothing where it may name none. */
export async function openNamed(port: ServerPort, call: IncomingCall, path: string): Promise<string | undefined> {
  const roots = toRoots(port, call);
  const { directory } = await port.openEngine();
  if (directory === undefined) return openInside(path, { roots }).catch(() => undefined);
  const store = await realpath(directory);
  // Not beside the database, and not where the logs of other principals lie.
  const isTaken = (real: string) => real === store || isInside(join(store, PROMPTS_FOLDER), real);
  return openInside(path, { roots, isTaken }).catch(() => undefined);
}

/** A client that started this process says nothing new by naming a place in its home. One over HTTP has no such home. */
function toRoots({ settings }: ServerPort, { caller }: IncomingCall): readonly string[] {
  if (settings.promptRoots) return settings.promptRoots;
  if (!caller.isLocal) return [];
  const named = (process.env[STATE_ROOT_VARIABLE] ?? '').split(delimiter);
  return [homedir(), ...named].filter((root) => isAbsolute(root) && root !== '/');
}

/** What a call is told whose host would look for its result in vain. */
export function outsideError(field: 'stateDir', value: unknown): TaskError {
  const expected =
    'an absolute path inside the roots that the owner of the server gave, with promptRoots or --state-root';
  return invalidField(`_meta.chatos.uiApp.${field}`, value, expected);
}
