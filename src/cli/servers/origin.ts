/**
 * What the ledger keeps of how a call's server is reached: what was meant when the call was made, and who said so.
 *
 * After a restart that is what counts, whatever lies in the working directory then.
 */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { JsonObject, PluginSpec, ServerSpec } from '../../host/index.ts';
import { expand } from './expand.ts';
import { TYPED, type Word } from './trust-book.ts';

export interface Origin extends Word {
  /** The name of the server in its file. */
  readonly name: string;
  /** As it stands in its file, with variables not put in; directories of a typed one are whole. */
  readonly spec: JsonObject;
  /** Variables that the command line passes on. */
  readonly passEnv: readonly string[];
}

/** Where servers keep tasks and logs: the same places as for the command line, or nobody would find them. No secrets. */
const PLACES = ['HOLDFAST_DIR', 'XDG_STATE_HOME', 'CHATOS_STATE_DIR'];

export function toOrigin(given: Omit<Origin, 'hash'>): Origin {
  return { ...given, hash: toHash([given.name, given.spec, given.passEnv]) };
}

export function toHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** What a record of the ledger says; nothing for one of before, or of another program. */
export function readOrigin(value: JsonObject | undefined): Origin | undefined {
  const { path, hash, name, spec, passEnv } = (value ?? {}) as unknown as Partial<Origin>;
  const isWhole = typeof path === 'string' && typeof hash === 'string' && typeof name === 'string';
  if (!isWhole || spec === null || typeof spec !== 'object' || !Array.isArray(passEnv)) return undefined;
  const origin = { path, hash, name, spec, passEnv };
  // A hash that was approved must not stand beside another command. A plugin's is made of its manifest, and made anew.
  return 'pluginDir' in spec || toOrigin(origin).hash === hash ? origin : undefined;
}

/** The spec to connect to. What a file names lies beside that file, wherever the command line is run. */
export function toSpec({ path, spec, passEnv }: Origin): ServerSpec | PluginSpec {
  // What was typed has been expanded by a shell, as far as it was meant to be.
  if (path === TYPED || 'pluginDir' in spec) return withPlaces(spec, passEnv) as unknown as ServerSpec | PluginSpec;
  const whole = expand(spec) as JsonObject;
  if (whole.url !== undefined) return whole as unknown as ServerSpec;
  const cwd = resolve(dirname(path), typeof whole.cwd === 'string' ? whole.cwd : '.');
  return withPlaces({ ...whole, cwd }, passEnv) as unknown as ServerSpec;
}

function withPlaces(spec: JsonObject, passEnv: readonly string[]): JsonObject {
  const { passEnv: own = [] } = spec;
  // What is no list is left to be complained of.
  return Array.isArray(own) ? { ...spec, passEnv: [...own, ...passEnv, ...PLACES] } : spec;
}
