/**
 * Arguments that are sent as `Mcp-Param-*` headers, where the tool's input schema says so with `x-mcp-header`.
 *
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-headers
 */

import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';

export function toParamHeaders(tool: JsonObject | undefined, args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  collect(tool?.inputSchema, args, headers);
  return headers;
}

function collect(schema: Json | undefined, value: Json | undefined, headers: Record<string, string>): void {
  if (!isObject(schema)) return;
  const name = schema['x-mcp-header'];
  const text = toText(value);
  if (typeof name === 'string' && TOKEN.test(name) && text !== undefined) headers[`Mcp-Param-${name}`] = encode(text);
  if (!isObject(schema.properties)) return;
  for (const [key, part] of Object.entries(schema.properties)) {
    collect(part, isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined, headers);
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PLAIN = /^[\t\x20-\x7e]+$/;
const ENCODED = /^=\?base64\?.*\?=$/;

function toText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const isExact = typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? String(value) : undefined;
}

/** Encodes text that a header cannot carry unchanged in base64. */
function encode(text: string): string {
  const isPlain = PLAIN.test(text) && text === text.trim() && !ENCODED.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
