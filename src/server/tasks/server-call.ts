import type { CheckedCall, IncomingCall } from '../../dialects/server-port.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';

/** A call with its tool in hand, which was looked up once and travels with it. */
export interface ServerCall extends IncomingCall {
  readonly tool: ParsedServerTool;
}

/** The same once its arguments were found right. */
export interface CheckedServerCall extends CheckedCall {
  readonly tool: ParsedServerTool;
}
