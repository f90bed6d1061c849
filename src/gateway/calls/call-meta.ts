/** What of the `_meta` of a call is for the upstream: all but what was said to the gateway. */
import type { JsonObject } from '../../host/index.ts';
import type { ServerTaskContext } from '../../index.ts';

const PROTOCOL = 'io.modelcontextprotocol/';
const OWN = 'holdfast/';
/** Words of dialects in which the gateway itself was called. */
const DIALECT_WORDS = ['progressToken', 'stream', 'asyncTask', 'taskId', 'chatos'];

/** `_meta` as the upstream gets it, with the trace that the call belongs to. */
export function toUpstreamMeta({ meta, trace }: Pick<ServerTaskContext, 'meta' | 'trace'>): JsonObject {
  const passed = Object.entries(meta).filter(([key]) => !isOwn(key));
  return { ...Object.fromEntries(passed), ...trace } as JsonObject;
}

function isOwn(key: string): boolean {
  return key.startsWith(PROTOCOL) || key.startsWith(OWN) || DIALECT_WORDS.includes(key);
}
