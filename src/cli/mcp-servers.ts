/**
 * How the command line finds servers: by name in `holdfast.json` or `.mcp.json`, by URL, by a ChatOS plugin, or by a
 * command.
 *
 * A server that is not in a file is named by how it is reached, so that its calls can be taken up again later.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { TaskError } from '../errors.ts';
import type { PluginSpec, ServerSpec } from '../host/index.ts';

export interface NamedServer {
  readonly name: string;
  readonly spec: ServerSpec | PluginSpec;
}

const FILES = ['holdfast.json', '.mcp.json'];
const COMMAND = 'command:';
const PLUGIN = 'plugin:';

/** The ways a command line can name a server. */
export interface ServerWays {
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly plugin?: string | undefined;
  /** Which app of the plugin. */
  readonly app?: string | undefined;
  readonly command: readonly string[];
}

/** The server that a command line means; exactly one way must be given. */
export function findServer({ server, url, plugin, app, command }: ServerWays): NamedServer {
  const ways = [server, url, plugin, command[0]].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const legal = 'exactly one of --server NAME, --url URL, --plugin DIR, or -- COMMAND…';
    throw new TaskError('USAGE', `which server? legal: ${legal}`);
  }
  if (app !== undefined && plugin === undefined) throw new TaskError('USAGE', '--app names an app of --plugin DIR');
  if (url !== undefined) return toServer(checkUrl(url));
  if (plugin !== undefined) return toServer(`${PLUGIN}${JSON.stringify([resolve(plugin), ...(app ? [app] : [])])}`);
  if (server !== undefined) return { name: server, spec: readSpec(server) };
  return toServer(`${COMMAND}${JSON.stringify(command)}`);
}

/** The server that a call in the ledger was made to. */
export function toServer(name: string): NamedServer {
  if (/^https?:\/\//.test(name)) return { name, spec: { url: name } };
  if (name.startsWith(PLUGIN)) {
    const [pluginDir = '', appId] = JSON.parse(name.slice(PLUGIN.length)) as string[];
    return { name, spec: { pluginDir, ...(appId !== undefined && { appId }), projectRoot: process.cwd() } };
  }
  if (!name.startsWith(COMMAND)) return { name, spec: readSpec(name) };
  const [command = '', ...args] = JSON.parse(name.slice(COMMAND.length)) as string[];
  return { name, spec: { command, args } };
}

function checkUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new TaskError('USAGE', `--url is ${JSON.stringify(url)}; legal is an http or https URL`);
}

function readSpec(name: string): ServerSpec {
  const known: string[] = [];
  for (const path of listFiles(process.cwd())) {
    const servers = readServers(path);
    const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (found) return toSpec(found, { name, path });
    known.push(...Object.keys(servers));
  }
  const legal = known.length > 0 ? `known are ${known.join(', ')}` : `there is no ${FILES.join(' or ')} here or above`;
  throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(name)}; ${legal}`);
}

/** The nearest directory comes first. */
function listFiles(from: string): string[] {
  const here = FILES.map((file) => join(from, file)).filter((path) => existsSync(path));
  const parent = dirname(from);
  return parent === from ? here : [...here, ...listFiles(parent)];
}

type Entry = Readonly<Record<string, unknown>>;

function readServers(path: string): Readonly<Record<string, Entry>> {
  try {
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers?: unknown };
    if (mcpServers !== null && typeof mcpServers === 'object') return mcpServers as Record<string, Entry>;
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new TaskError('INVALID_ARGUMENT', `${path} has no mcpServers; legal is { "mcpServers": { NAME: { … } } }`);
}

/** Keeps the fields that say how a server is reached; those of other programs are left out. */
function toSpec(entry: Entry, { name, path }: { name: string; path: string }): ServerSpec {
  const fields = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'callMeta', 'stream'];
  const spec = Object.fromEntries(
    fields.filter((field) => field in entry).map((field) => [field, expand(entry[field])]),
  );
  if ('command' in spec || 'url' in spec) return spec as unknown as ServerSpec;
  throw new TaskError('INVALID_ARGUMENT', `${path}: server ${JSON.stringify(name)} has neither command nor url`);
}

/** `${NAME}` and `${NAME:-otherwise}` stand for variables of the environment. */
function expand(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (_, name: string, otherwise = '') => process.env[name] ?? otherwise,
    );
  }
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expand(one)]));
}
