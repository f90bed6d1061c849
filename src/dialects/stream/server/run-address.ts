import { isObject } from '../../../is-object.ts';
import type { CheckedCall, ServerPort } from '../../server-port.ts';
import { findPromptConfig } from '../../shared/prompt-config.ts';
import type { RunAddress } from '../wire.ts';

/** Returns the address for the notifications of a call's run; undefined where the client accepts none. */
export function findRun(call: CheckedCall, port: ServerPort): RunAddress | undefined {
  return call.caller.acceptsNotifications ? toAddress(call, port) : undefined;
}

function toAddress(call: CheckedCall, { settings }: ServerPort): RunAddress {
  const { app, toWindowId } = call.tool.stream;
  const requestId = toText(call.meta[findPromptConfig(call, settings)?.taskIdKey ?? 'taskId']);
  const sessionId =
    toText(call.meta.sessionId) ?? (isObject(call.meta.chatos) ? toText(call.meta.chatos.sessionId) : undefined);
  return {
    app,
    rpcId: call.id,
    windowId: toWindowId(call.stored.prepared),
    ...(requestId !== undefined && { requestId }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
