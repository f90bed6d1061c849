import type { CheckedCall, IncomingCall } from '../../dialects/server-port.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';

/** A call with its tool, which is looked up only once. */
export interface ServerCall extends IncomingCall {
  readonly tool: ParsedServerTool;
}

/** Like `ServerCall`, after its arguments were validated. */
export interface CheckedServerCall extends CheckedCall {
  readonly tool: ParsedServerTool;
}
