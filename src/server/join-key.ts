import { toFingerprint } from '../task/json.ts';
import type { IncomingCall } from './caller.ts';
import type { CallArgs, ParsedServerTool } from './server-tool.ts';

/** The same for calls of the same principal and client that ask for the same thing. */
export function toJoinKey(tool: ParsedServerTool, { caller }: IncomingCall, args: CallArgs): string {
  const prepared = args.prepared === undefined ? [] : [args.prepared];
  return toFingerprint([caller.principal, caller.client?.name ?? '', tool.name, args.args, args.upfront, ...prepared]);
}
