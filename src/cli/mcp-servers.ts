/**
 * How the command line finds servers: by name in `holdfast.json` or `.mcp.json`, by URL, or by a command.
 *
 * A server that is not in a file is named by how it is reached, so that its calls can be taken up again later.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TaskError } from '../errors.ts';
import type { ServerSpec } from '../host/index.ts';

export interface NamedServer {
  readonly name: string;
  readonly spec: ServerSpec;
}

const FILES = ['holdfast.json', '.mcp.json'];
const COMMAND = 'command:';

/** The server that a command line means; exactly one way must be given. */
export function findServer(given: { server?: string; url?: string; command: readonly string[] }): NamedServer {
  const { server, url, command } = given;
  const ways = [server, url, command[0]].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new TaskError('USAGE', 'which server? legal: exactly one of --server NAME, --url URL, or -- COMMAND…');
  }
  if (url !== undefined) return toServer(url);
  return toServer(server ?? `${COMMAND}${JSON.stringify(command)}`);
}

/** The server that a call in the ledger was made to. */
export function toServer(name: string): NamedServer {
  if (/^https?:\/\//.test(name)) return { name, spec: { url: name } };
  if (!name.startsWith(COMMAND)) return { name, spec: readSpec(name) };
  const [command = '', ...args] = JSON.parse(name.slice(COMMAND.length)) as string[];
  return { name, spec: { command, args } };
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
  const fields = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'callMeta'];
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
