/** What decides whether a call is expected to be answered by a stream, before any notification about it. */
import type { JsonObject } from '../host-port.ts';
import type { StreamOption } from '../spec-fields.ts';

export interface StreamExpectation {
  readonly tool: string;
  /** The server's setting. */
  readonly option: StreamOption | undefined;
  /** The `_meta` of the call. */
  readonly meta: JsonObject;
}

// The tool that this contract was made for, with any prefix.
const KNOWN_TOOL = /(?:^|[^a-z0-9])window_run$/i;

/** Whether a call is sent as a streamed one, so that its answer is only an acknowledgement. */
export function expectsStream({ tool, option, meta }: StreamExpectation): boolean {
  if (meta.stream === false || option === false) return false;
  if (meta.stream === true || option === true) return true;
  if (option !== undefined) return option.tools.some((one) => one.trim().toLowerCase() === tool.trim().toLowerCase());
  return KNOWN_TOOL.test(tool);
}

/** Whether a value in a server's spec says which tools stream. */
export function isStreamOption(value: unknown): value is StreamOption {
  if (typeof value === 'boolean') return true;
  if (value === null || typeof value !== 'object' || !('tools' in value)) return false;
  return Array.isArray(value.tools) && value.tools.every((tool) => typeof tool === 'string' && tool !== '');
}
