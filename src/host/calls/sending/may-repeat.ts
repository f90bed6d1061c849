import type { CallRecord } from '../../ledger/contract.ts';
import type { HostTool } from '../../servers/host-tool.ts';
import type { ServerSpec } from '../../transports/server-spec.ts';

export interface RepeatableCall {
  readonly record: Pick<CallRecord, 'repeat'>;
  readonly server: { readonly spec: Pick<ServerSpec, 'repeat'> };
}

/**
 * Whether a call with an unknown outcome may be sent again to a server that does not recognise it. A server's tool annotations
 * are only hints: without the caller's permission, both must be set before a call is run twice.
 */
export function mayRepeat({ record, server }: RepeatableCall, tool: HostTool | undefined): boolean {
  const repeat = record.repeat ?? server.spec.repeat;
  if (repeat !== undefined) return repeat === 'idempotent';
  return tool?.annotations?.idempotentHint === true && tool.annotations.readOnlyHint === true;
}
