/** What of the `_meta` of a call is for the upstream: all but what was said to the gateway. */
import type { JsonObject } from '../../host/index.ts';
import type { Json, ServerTaskContext } from '../../index.ts';

const PROTOCOL = 'io.modelcontextprotocol/';
const OWN = 'holdfast/';
/** Words of dialects in which the gateway itself was called. */
const DIALECT_WORDS = ['progressToken', 'stream', 'asyncTask', 'taskId', 'chatos'];

const LOG_LEVEL = `${PROTOCOL}logLevel`;

/**
 * Which lines of log the upstream of a call tells: a server of 2026-07-28 tells none unless asked with the call, and clients
 * of before hear all that they have not turned off.
 */
export function toLogLevel(meta: ServerTaskContext['meta'], era: 'legacy' | 'modern'): JsonObject {
  if (era === 'legacy') return {};
  const { [`${PROTOCOL}protocolVersion`]: isModernClient, [LOG_LEVEL]: wanted } = meta;
  if (isModernClient === undefined) return { [LOG_LEVEL]: 'debug' };
  return wanted === undefined ? {} : { [LOG_LEVEL]: wanted as Json };
}

/** `_meta` as the upstream gets it, with the trace that the call belongs to. */
export function toUpstreamMeta({ meta, trace }: Pick<ServerTaskContext, 'meta' | 'trace'>): JsonObject {
  const passed = Object.entries(meta).filter(([key]) => !isOwn(key));
  return { ...Object.fromEntries(passed), ...trace } as JsonObject;
}

function isOwn(key: string): boolean {
  return key.startsWith(PROTOCOL) || key.startsWith(OWN) || DIALECT_WORDS.includes(key);
}
