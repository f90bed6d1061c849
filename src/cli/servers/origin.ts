/**
 * How the server of a call is reached, as the ledger stores it: what was meant when the call was made, and which file said
 * so.
 *
 * After a restart this record counts, not the files that are in the working directory then.
 */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { JsonObject, PluginSpec, ServerSpec } from '../../host/index.ts';
import { expand } from './expand.ts';
import { type Approval, TYPED } from './trust-store.ts';

export interface Origin extends Approval {
  /** The name of the server in its file. */
  readonly name: string;
  /** The spec as in its file, with variables not expanded; directories of a typed command are absolute. */
  readonly spec: JsonObject;
  /** Environment variables that the command line passes on. */
  readonly passEnv: readonly string[];
}

/** Variables that say where servers keep tasks and logs; passed on so that the command line finds them there. No secrets. */
const STATE_DIR_VARIABLES = ['HOLDFAST_DIR', 'XDG_STATE_HOME', 'CHATOS_STATE_DIR'];

export function toOrigin(given: Omit<Origin, 'hash'>): Origin {
  return { ...given, hash: toHash([given.name, given.spec, given.passEnv]) };
}

export function toHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Reads the origin from a ledger record; undefined for records of older versions or other programs. */
export function readOrigin(value: JsonObject | undefined): Origin | undefined {
  const { path, hash, name, spec, passEnv } = (value ?? {}) as unknown as Partial<Origin>;
  const isWhole = typeof path === 'string' && typeof hash === 'string' && typeof name === 'string';
  if (!isWhole || spec === null || typeof spec !== 'object' || !Array.isArray(passEnv)) return undefined;
  const origin = { path, hash, name, spec, passEnv };
  // An approved hash must not be combined with another command. A plugin's hash covers its manifest and is always recomputed.
  return 'pluginDir' in spec || toOrigin(origin).hash === hash ? origin : undefined;
}

/** The spec to connect to. Paths in a file's spec are relative to that file, wherever the command line is run. */
export function toSpec({ path, spec, passEnv }: Origin): ServerSpec | PluginSpec {
  // A typed command has already been expanded by the shell.
  if (path === TYPED || 'pluginDir' in spec)
    return withStateDirVariables(spec, passEnv) as unknown as ServerSpec | PluginSpec;
  const whole = expand(spec) as JsonObject;
  if (whole.url !== undefined) return whole as unknown as ServerSpec;
  const cwd = resolve(dirname(path), typeof whole.cwd === 'string' ? whole.cwd : '.');
  return withStateDirVariables({ ...whole, cwd }, passEnv) as unknown as ServerSpec;
}

function withStateDirVariables(spec: JsonObject, passEnv: readonly string[]): JsonObject {
  const { passEnv: own = [] } = spec;
  // A `passEnv` that is not a list is left unchanged, so that it is reported as invalid later.
  return Array.isArray(own) ? { ...spec, passEnv: [...own, ...passEnv, ...STATE_DIR_VARIABLES] } : spec;
}
