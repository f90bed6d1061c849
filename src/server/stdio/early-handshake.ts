/**
 * Answers `initialize` and `server/discover` as the SDK would, without loading it.
 *
 * Only plain requests are answered here: whatever the SDK might refuse or interpret differently waits for it.
 */

import type { Era } from '../../dialects/server-port.ts';
import { isObject } from '../../is-object.ts';
import { toCapabilities, toServerInfo } from '../server-card.ts';
import type { ServerSettings } from '../server-options.ts';

export interface EarlyHandshake {
  readonly id: string | number;
  readonly era: Era;
  readonly result: object;
}

type Members = { readonly [name: string]: unknown };

const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MODERN_VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const ENVELOPE = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((name) => `${META}${name}`);
const MAX_MESSAGE = 8192;
const MAX_ID = 100;

/** Returns the answer to a message; undefined when it is not a handshake, or not a plain one. */
export function readHandshake(bytes: Buffer, settings: ServerSettings): EarlyHandshake | undefined {
  const message = bytes.length <= MAX_MESSAGE ? parse(bytes) : undefined;
  if (!message || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params']) || message.jsonrpc !== '2.0')
    return undefined;
  const { id, method, params } = message;
  if (!isId(id) || !isObject(params)) return undefined;
  if (method === 'initialize') return toInitialized(id, params, settings);
  return method === 'server/discover' ? toDiscovered(id, params, settings) : undefined;
}

function toInitialized(id: string | number, params: Members, settings: ServerSettings): EarlyHandshake | undefined {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (!hasOnly(params, ['protocolVersion', 'capabilities', 'clientInfo'])) return undefined;
  if (typeof protocolVersion !== 'string' || !LEGACY_VERSIONS.includes(protocolVersion)) return undefined;
  if (!isClient(clientInfo) || !areCapabilities(capabilities)) return undefined;
  const about = { capabilities: toCapabilities(settings, 'legacy'), serverInfo: toServerInfo(settings) };
  return { id, era: 'legacy', result: { protocolVersion, ...about, ...toInstructions(settings) } };
}

function toDiscovered(id: string | number, params: Members, settings: ServerSettings): EarlyHandshake | undefined {
  const { _meta } = params;
  if (!hasOnly(params, ['_meta']) || !isObject(_meta) || !hasOnly(_meta, ENVELOPE)) return undefined;
  const [version, client, capabilities] = ENVELOPE.map((name) => _meta[name]);
  if (version !== MODERN_VERSION || !isClient(client) || !areCapabilities(capabilities)) return undefined;
  const result = {
    supportedVersions: [MODERN_VERSION],
    capabilities: toCapabilities(settings, 'modern'),
    ...toInstructions(settings),
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${META}serverInfo`]: toServerInfo(settings) },
  };
  return { id, era: 'modern', result };
}

function toInstructions({ instructions }: ServerSettings) {
  return instructions ? { instructions } : {};
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= MAX_ID : Number.isSafeInteger(id);
}

/** Whether a client's self-description consists of texts. Its icons are ignored. */
function isClient(client: unknown): boolean {
  if (!isObject(client) || typeof client.name !== 'string' || typeof client.version !== 'string') return false;
  return Object.entries(client).every(([name, value]) => name === 'icons' || typeof value === 'string');
}

/** Whether every capability and every member of one is an object, except the boolean `listChanged`. */
function areCapabilities(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  return Object.values(capabilities).every(
    (one) =>
      isObject(one) &&
      Object.entries(one).every(([name, value]) =>
        name === 'listChanged' ? typeof value === 'boolean' : isObject(value),
      ),
  );
}

function parse(bytes: Buffer): Members | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasOnly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
