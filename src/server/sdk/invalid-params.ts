import { INTERNAL_ERROR, INVALID_PARAMS, type JSONRPCMessage, type Server } from '@modelcontextprotocol/server';
import { MAX_VALIDATION_ERROR_LENGTH } from '../../limits.ts';
import { shorten } from '../../text/cut-text.ts';
import { rewriteOutgoing } from './outgoing.ts';

/**
 * Corrects the error code for invalid parameters of the SDK's own methods.
 *
 * The SDK reports them as an internal error whose text is a list of issues; the specification requires -32602.
 */
export function correctInvalidParamsCode(server: Server): void {
  rewriteOutgoing(server, toInvalidParams);
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function toInvalidParams(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INTERNAL_ERROR) return message;
  const issues = parseIssues(message.error.message);
  if (!issues) return message;
  const text = issues.map(({ path, message: what }) => `${path.slice(1).join('.')}: ${what}`).join('; ');
  return {
    ...message,
    error: { code: INVALID_PARAMS, message: `Invalid params: ${shorten(text, MAX_VALIDATION_ERROR_LENGTH)}` },
  };
}

/** Only issues of the request itself: errors inside a handler have other paths. */
function parseIssues(text: string): readonly Issue[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const issues = JSON.parse(text) as readonly Issue[];
    return issues.length > 0 && issues.every(({ path }) => path[0] === 'params') ? issues : undefined;
  } catch {
    return undefined;
  }
}
