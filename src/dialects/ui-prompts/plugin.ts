/**
 * A ChatOS plugin as a server to connect to: `plugin.json` says how its MCP server is started or where it listens, and
 * what `_meta` its calls carry.
 *
 * Parsed field by field, not with one schema: the file is for other programs too, so only fields that are used may be
 * rejected.
 */

import { constants } from 'node:fs';
import { join } from 'node:path';
import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import { openPlainFile } from '../../process/plain-file.ts';
import type { Json } from '../../task/json.ts';
import type { JsonObject } from '../host-port.ts';
import { parseList, parseName, parseObject, parseText } from '../shared/field.ts';
import { resolveInside } from './confine.ts';
import { isObject } from './wire.ts';

const MANIFEST = 'plugin.json';
const MAX_MANIFEST = 256 * 1024;

export interface PluginOptions {
  /** The host's own state directory. */
  readonly stateDir: string;
  /** Which app of the plugin; needed when several have a server. */
  readonly appId?: string;
  readonly sessionRoot?: string;
  readonly projectRoot?: string;
}

export interface PluginServer {
  /** `<pluginId>.<appId>` */
  readonly name: string;
  readonly pluginDir: string;
  readonly dataDir: string;
  readonly stateDir: string;
  readonly endpoint: PluginEndpoint;
  /** The `_meta` that every call to the server carries. */
  readonly callMeta: JsonObject;
}

export type PluginEndpoint =
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[]; readonly cwd: string }
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Reads a plugin's directory; throws `INVALID_ARGUMENT` that names the file and the field. */
export async function readPlugin(pluginDir: string, options: PluginOptions): Promise<PluginServer> {
  const manifest = await readManifest(join(pluginDir, MANIFEST));
  const pluginId = parseName('id', manifest.id);
  const { app, path } = findApp(manifest, options.appId);
  const appId = parseName(`${path}.id`, app.id);
  const mcp = parseObject(`${path}.ai.mcp`, (app.ai as JsonObject).mcp);
  const { stateDir } = options;
  const dataDir = await resolveInside(stateDir, join('ui_apps', 'data', pluginId), { field: 'id' });
  const places = { pluginId, appId, pluginDir, dataDir, stateDir };
  const own = mcp.callMeta === undefined ? {} : parseObject(`${path}.ai.mcp.callMeta`, mcp.callMeta);
  const roots = toRoots(options);
  return {
    name: `${pluginId}.${appId}`,
    pluginDir,
    dataDir,
    stateDir,
    endpoint: await parseEndpoint(mcp, { path: `${path}.ai.mcp`, pluginDir }),
    callMeta: toCallMeta(substitute(own, { ...places, ...roots }), { places, roots }),
  };
}

async function readManifest(path: string): Promise<JsonObject> {
  const text = await readBounded(path);
  try {
    return parseObject(MANIFEST, JSON.parse(text));
  } catch (cause) {
    if (cause instanceof TaskError) throw cause;
    throw new TaskError('INVALID_ARGUMENT', `${path} is no JSON: ${(cause as Error).message}`, { cause });
  }
}

async function readBounded(path: string): Promise<string> {
  try {
    await using file = (await openPlainFile(path, { flags: constants.O_RDONLY, allowLink: true })).file;
    const buffer = Buffer.alloc(MAX_MANIFEST + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead <= MAX_MANIFEST) return buffer.toString('utf8', 0, bytesRead);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new TaskError('INVALID_ARGUMENT', `${path} is too long; expected ${MAX_MANIFEST} bytes`);
}

function findApp(manifest: JsonObject, appId: string | undefined): { app: JsonObject; path: string } {
  const apps = parseList('apps', manifest.apps, { min: 0, max: Infinity }).map((value, index) => {
    return { app: parseObject(`apps[${index}]`, value), path: `apps[${index}]` };
  });
  const serving = apps.filter(({ app }) => isObject(app.ai) && isEnabled(app.ai.mcp));
  const found = appId === undefined ? serving : serving.filter(({ app }) => app.id === appId);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const names = serving.map(({ app }) => JSON.stringify(app.id)).join(', ') || 'none';
  throw invalidField('the app', appId, `one app with ai.mcp; the plugin has ${names}`);
}

function isEnabled(mcp: Json | undefined): boolean {
  return mcp !== undefined && !(isObject(mcp) && mcp.enabled === false);
}

interface EndpointPlace {
  readonly path: string;
  readonly pluginDir: string;
}

async function parseEndpoint(mcp: JsonObject, { path, pluginDir }: EndpointPlace): Promise<PluginEndpoint> {
  const url = parseText(`${path}.url`, mcp.url);
  if (url !== '') {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw invalidField(`${path}.url`, url, 'an http or https address');
    return { kind: 'url', url, headers: parseAuth(`${path}.auth`, mcp.auth) };
  }
  const entry = parseText(`${path}.entry`, mcp.entry);
  if (entry === '') throw invalidField(`${path}.entry`, mcp.entry, 'a file of the plugin, or give url instead');
  const list = mcp.args === undefined ? [] : parseList(`${path}.args`, mcp.args, { min: 0, max: Infinity });
  const args = list.map((arg, index) => {
    if (typeof arg !== 'string') throw invalidField(`${path}.args[${index}]`, arg, 'a text');
    return arg;
  });
  const script = await resolveInside(pluginDir, entry, { field: `${path}.entry` });
  const command = parseText(`${path}.command`, mcp.command) || 'node';
  return { kind: 'command', command, args: [script, ...args], cwd: pluginDir };
}

function parseAuth(path: string, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  const { token, basic, headers } = parseObject(path, value);
  const given = headers === undefined ? {} : parseObject(`${path}.headers`, headers);
  const all = Object.entries(given).map(([name, one]) => [name, parseText(`${path}.headers.${name}`, one)]);
  const bearer = parseText(`${path}.token`, token);
  if (bearer !== '') all.push(['Authorization', `Bearer ${bearer}`]);
  else if (basic !== undefined) {
    const { username, password } = parseObject(`${path}.basic`, basic);
    const pair = `${parseText(`${path}.basic.username`, username)}:${parseText(`${path}.basic.password`, password)}`;
    all.push(['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`]);
  }
  return Object.fromEntries(all);
}

interface MetaParts {
  readonly places: JsonObject;
  readonly roots: Readonly<Record<string, string>>;
}

/** The plugin's values override the defaults; the user's directories are set by the host. */
function toCallMeta(own: Json, { places, roots }: MetaParts): JsonObject {
  const given = Object.fromEntries(Object.entries(roots).filter(([, path]) => path !== ''));
  const meta = merge({ chatos: { uiApp: places } }, own);
  return (Object.keys(given).length > 0 ? merge(meta, { chatos: { uiApp: given } }) : meta) as JsonObject;
}

function toRoots({ sessionRoot = '', projectRoot = '' }: PluginOptions): Record<string, string> {
  return { sessionRoot, projectRoot };
}

// The order matters where one name is a prefix of another; it is the order of the original implementation.
function substitute(value: Json, places: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    return Object.entries(places).reduce((text, [name, place]) => text.replaceAll(`$${name}`, () => place), value);
  }
  if (Array.isArray(value)) return value.map((one) => substitute(one, places));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, substitute(one, places)]));
}

/** Merges objects; any other value is replaced. */
function merge(base: Json, over: Json): Json {
  if (!isObject(base) || !isObject(over)) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, below === undefined ? value : merge(below, value));
  }
  return Object.fromEntries(merged);
}
