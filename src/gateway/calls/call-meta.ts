/** Chooses the `_meta` fields of a call that go to the upstream: all except those addressed to the gateway. */
import type { JsonObject } from '../../host/index.ts';
import type { Json, ServerTaskContext } from '../../index.ts';

const PROTOCOL = 'io.modelcontextprotocol/';
const OWN = 'holdfast/';
/** `_meta` keys of the dialects in which the gateway itself was called. */
const DIALECT_WORDS = ['progressToken', 'stream', 'asyncTask', 'taskId', 'chatos'];

const LOG_LEVEL = `${PROTOCOL}logLevel`;

/**
 * The log level that a call requests from its upstream. A server of 2026-07-28 sends no log lines unless the call requests them;
 * clients of earlier versions receive all lines that they have not turned off.
 */
export function toLogLevel(meta: ServerTaskContext['meta'], era: 'legacy' | 'modern'): JsonObject {
  if (era === 'legacy') return {};
  const { [`${PROTOCOL}protocolVersion`]: isModernClient, [LOG_LEVEL]: wanted } = meta;
  if (isModernClient === undefined) return { [LOG_LEVEL]: 'debug' };
  return wanted === undefined ? {} : { [LOG_LEVEL]: wanted as Json };
}

/** Returns `_meta` as sent to the upstream, with the trace context of the call. */
export function toUpstreamMeta({ meta, trace }: Pick<ServerTaskContext, 'meta' | 'trace'>): JsonObject {
  const passed = Object.entries(meta).filter(([key]) => !isOwn(key));
  return { ...Object.fromEntries(passed), ...trace } as JsonObject;
}

function isOwn(key: string): boolean {
  return key.startsWith(PROTOCOL) || key.startsWith(OWN) || DIALECT_WORDS.includes(key);
}
