/**
 * How the command line finds servers: by name in `holdfast.json` or `.mcp.json`, by URL, by a ChatOS plugin, or by a command.
 *
 * What the user types is trusted. The user must approve what a file says once, unless the file is directly in their home.
 */
import { join, resolve } from 'node:path';
import { isTaskError, TaskError } from '../../errors.ts';
import type { JsonObject, PluginSpec, ServerSpec } from '../../host/index.ts';
import { keepTrust, requireTrust, type TrustContext } from './ask-trust.ts';
import { type Entry, findEntry, isHomeFile } from './config-files.ts';
import { type Origin, toHash, toOrigin, toSpec } from './origin.ts';
import { readOwnFile } from './read-file.ts';
import { isTrusted, TYPED } from './trust-store.ts';

export interface NamedServer {
  /** The name in the ledger: different servers have different names. */
  readonly name: string;
  readonly spec: ServerSpec | PluginSpec;
  /** Absent for a server that is reached by its name alone. */
  readonly origin?: Origin;
}

/** The ways in which a command line can name a server. */
export interface ServerSelector {
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly plugin?: string | undefined;
  /** The ID of the plugin's app. */
  readonly app?: string | undefined;
  readonly command: readonly string[];
  /** Environment variables to pass on, comma-separated. */
  readonly 'pass-env'?: string | undefined;
}

/** Finds the server that a command line names; it must be named in exactly one way. */
export async function findServer(selector: ServerSelector, context: TrustContext): Promise<NamedServer> {
  const { server, url, plugin, command } = selector;
  checkSelector(selector);
  const passEnv = (selector['pass-env'] ?? '').split(',').filter(Boolean);
  if (url !== undefined) return { name: checkUrl(url), spec: { url } };
  if (server !== undefined) return findNamed({ name: server, passEnv }, context);
  const origin = plugin === undefined ? toTyped(command, passEnv) : toPlugin(plugin, { app: selector.app, passEnv });
  keepTrust(origin, context);
  return toNamed(origin);
}

/** The origin of a server that a file names. */
export function toFileOrigin(found: { path: string; entry: Entry }, given: Pick<Origin, 'name' | 'passEnv'>): Origin {
  return toOrigin({ ...given, path: found.path, spec: pickSpec(found.entry, { ...given, path: found.path }) });
}

/** The origin of a plugin as its manifest is now. */
export function readPluginOrigin(spec: JsonObject, passEnv: readonly string[]): Origin {
  const { pluginDir, appId } = spec;
  const path = join(String(pluginDir), 'plugin.json');
  const name = `plugin:${JSON.stringify([pluginDir, ...(appId === undefined ? [] : [appId])])}`;
  return { path, name, spec, passEnv, hash: toHash([readManifest(path), spec, passEnv]) };
}

function toNamed(origin: Origin): NamedServer {
  const { path, name, spec } = origin;
  const place = path === TYPED ? spec.cwd : 'pluginDir' in spec ? spec.projectRoot : path;
  return { name: `${name}@${String(place)}`, spec: toSpec(origin), origin };
}

export function toTyped(command: readonly string[], passEnv: readonly string[]): Origin {
  const [program = '', ...args] = command;
  const name = `command:${JSON.stringify(command)}`;
  // Relative paths in the command refer to this directory, even when the call is resumed from another.
  return toOrigin({ path: TYPED, name, spec: { command: program, args, cwd: process.cwd() }, passEnv });
}

async function findNamed(given: Pick<Origin, 'name' | 'passEnv'>, context: TrustContext): Promise<NamedServer> {
  const found = findEntry(given.name);
  const origin = toFileOrigin(found, given);
  if (!isHomeFile(found.path) && !isTrusted(origin)) {
    const why = `server ${JSON.stringify(given.name)} of ${found.path} has not been seen before`;
    await requireTrust({ ...origin, why }, context);
  }
  keepTrust(origin, context);
  return toNamed(origin);
}

function toPlugin(dir: string, given: { app: string | undefined; passEnv: readonly string[] }): Origin {
  const { app, passEnv } = given;
  const spec = { pluginDir: resolve(dir), ...(app !== undefined && { appId: app }), projectRoot: process.cwd() };
  return readPluginOrigin(spec, passEnv);
}

/** How the servers of a plugin are started or reached, according to its manifest. */
export function describePlugin(path: string): string[] {
  try {
    const { apps } = JSON.parse(readManifest(path)) as { apps?: { ai?: { mcp?: unknown } }[] };
    return (apps ?? []).flatMap((app, index) => {
      const mcp = app?.ai?.mcp;
      return mcp === undefined ? [] : [`apps[${index}].ai.mcp: ${JSON.stringify(mcp)}`];
    });
  } catch (error) {
    if (isTaskError(error)) throw error;
    // A plugin whose manifest cannot be parsed cannot be run either.
    return [];
  }
}

/** A missing manifest is not an error here: connecting reports it, with more detail. */
function readManifest(path: string): string {
  try {
    return readOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function checkSelector({ server, url, plugin, app, command }: ServerSelector): void {
  const ways = [server, url, plugin, command[0]].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const expected = 'exactly one of --server NAME, --url URL, --plugin DIR, or -- COMMAND…';
    throw new TaskError('USAGE', `which server? expected: ${expected}`);
  }
  if (app !== undefined && plugin === undefined) throw new TaskError('USAGE', '--app names an app of --plugin DIR');
}

function checkUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new TaskError('USAGE', `--url is ${JSON.stringify(url)}; expected an http or https URL`);
}

/** Keeps only the fields that say how a server is reached; fields of other programs are dropped. */
function pickSpec(entry: Entry, { name, path }: { name: string; path: string }): JsonObject {
  const fields = ['command', 'args', 'env', 'passEnv', 'cwd', 'url', 'headers', 'callMeta', 'stream', 'repeat'];
  const given = Object(entry) as Entry;
  const spec = Object.fromEntries(fields.filter((field) => field in given).map((field) => [field, given[field]]));
  if ('command' in spec || 'url' in spec) return spec as JsonObject;
  throw new TaskError('INVALID_ARGUMENT', `${path}: server ${JSON.stringify(name)} has neither command nor url`);
}
