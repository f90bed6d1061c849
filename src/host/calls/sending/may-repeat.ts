import type { CallRecord } from '../../ledger/contract.ts';
import type { HostTool } from '../../servers/host-tool.ts';
import type { ServerSpec } from '../../transports/server-spec.ts';

export interface RepeatableCall {
  readonly record: Pick<CallRecord, 'repeat'>;
  readonly server: { readonly spec: Pick<ServerSpec, 'repeat'> };
}

/**
 * Whether a call may be sent again to a server that does not recognise it, when nobody can tell what became of it. What a
 * server says of its tools are hints: both must be there before anything is done twice that nobody has allowed.
 */
export function mayRepeat({ record, server }: RepeatableCall, tool: HostTool | undefined): boolean {
  const repeat = record.repeat ?? server.spec.repeat;
  if (repeat !== undefined) return repeat === 'idempotent';
  return tool?.annotations?.idempotentHint === true && tool.annotations.readOnlyHint === true;
}
