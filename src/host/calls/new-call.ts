import type { JsonObject } from '../../dialects/host-port.ts';
import { makeTaskId } from '../../task/id.ts';
import type { HostSettings } from '../host-options.ts';
import type { CallRecord } from '../ledger/contract.ts';
import type { CallOptions } from './call-options.ts';
import { toUnsentHandle, toUnsentMark } from './sending/send-mark.ts';

export interface NewCallParts extends Pick<CallRecord, 'server' | 'tool' | 'args' | 'owner'> {
  /** `_meta` fields that every call to the server gets. */
  readonly callMeta: JsonObject | undefined;
  /** The keeper through which the server is reached. */
  readonly keeper: string | undefined;
  /** Whether a keeper will be started for the first call. */
  readonly isToBeKept: boolean;
}

/** Builds the record of a call for the ledger, with its handle if its dialect knows the handle before the call is sent. */
export async function makeRecord(
  { callMeta, keeper, isToBeKept, ...call }: NewCallParts,
  options: CallOptions,
  settings: HostSettings,
): Promise<CallRecord> {
  const { sessionId, key, repeat, origin, maxWaitMs } = options;
  const now = settings.clock.now();
  const callId = makeTaskId(now);
  const meta = { ...callMeta, ...options.meta };
  const prepared = await settings.dialects.prepare({ callId, tool: call.tool, meta }, settings);
  const isKept = keeper !== undefined || isToBeKept;
  const by = toUnsentMark(keeper, isToBeKept);
  return {
    ...call,
    callId,
    createdAt: now,
    ...(sessionId !== undefined && { sessionId }),
    ...(key !== undefined && { key }),
    ...(repeat !== undefined && { repeat }),
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(origin !== undefined && { origin }),
    ...(maxWaitMs !== undefined && { deadlineAt: Math.round(now + maxWaitMs) }),
    ...(isKept && { handle: toUnsentHandle(by) }),
    ...(prepared && { meta: prepared.meta, handle: { ...prepared.handle, isAcked: false, ...by } }),
  };
}
