/** How a task ended, in MCP terms: a tool result, a JSON-RPC error, or neither. */

import { LOCAL } from '../../../engine/task-client.ts';
import { isTaskErrorCode, toRpcCode } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import { RPC_CODES } from '../../../rpc-codes.ts';
import type { Json } from '../../../task/json.ts';
import type { OutcomeError } from '../../../task/outcome.ts';
import type { Task } from '../../../task/record.ts';
import { toPublicMessage } from './public-error.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** A `CallToolResult` as it was stored. */
export type ToolResult = { readonly [key: string]: Json };

export type WireOutcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'result'; readonly result: ToolResult; readonly isError: boolean }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string };

/**
 * Returns what a caller of the tool would have got.
 *
 * A tool that throws has failed as a tool, which becomes a result with `isError`. A failure around the tool (timeout,
 * lost worker, a result that cannot be stored) is a protocol error, and so is one that the tool threw as such.
 */
export function toWireOutcome({ outcome, principal, taskId }: Task): WireOutcome {
  switch (outcome?.kind) {
    case undefined:
      return { kind: 'running' };
    case 'result': {
      const result = outcome.value as ToolResult;
      return { kind: 'result', result, isError: result.isError === true };
    }
    case 'error':
      return toErrorOutcome(outcome.error, { taskId, isOwner: principal === LOCAL });
    case 'interrupted':
      return { kind: 'error', error: { code: RPC_CODES.INTERNAL_ERROR, message: `Interrupted: ${outcome.reason}` } };
    case 'cancelled': {
      const { reason, stopped } = outcome;
      return { kind: 'cancelled', reason: stopped === undefined ? reason : `${reason}; ${stopped}` };
    }
    case 'expired':
      return { kind: 'expired', reason: outcome.reason };
  }
}

/** Only the owner of the server learns which files and programs of its machine caused the failure. */
function toErrorOutcome(
  { code, message, rpc, data }: OutcomeError,
  { taskId, isOwner }: { readonly taskId: string; readonly isOwner: boolean },
): WireOutcome {
  if (rpc !== undefined) {
    const told = data === undefined ? {} : { data: toNamedData(data, taskId) };
    return { kind: 'error', error: { code: rpc, message, ...told } };
  }
  if (code === 'QUESTION_DECLINED') return { kind: 'result', isError: true, result: toRefusedResult(message, data) };
  if (code !== 'TOOL_FAILED' && isTaskErrorCode(code)) {
    const told = isOwner ? message : toPublicMessage({ code, message });
    // The task id tells hosts that this is how the work ended, and not that the server rejected the call.
    return { kind: 'error', error: { code: toRpcCode(code), message: told, data: { code, taskId } } };
  }
  return { kind: 'result', isError: true, result: { content: [{ type: 'text', text: message }], isError: true } };
}

/** A forwarded error may look like one of our rejections, and must not be mistaken for one. */
function toNamedData(data: Json, taskId: string): Json {
  const isOurs = isObject(data) && typeof data.code === 'string' && isTaskErrorCode(data.code);
  return isOurs ? { taskId, ...data } : data;
}

/** The `_meta` key of a result whose work ended because a question was not answered. */
const DECLINED_META = 'holdfast/declined';

/** Returns the result of work that ended because a question was declined, which is no fault of the server. */
export function toRefusedResult(message: string, data: Json = {}): ToolResult {
  const text = `There is no result, because ${message}. Nothing is wrong with the server.`;
  return { content: [{ type: 'text', text }], isError: true, _meta: { [DECLINED_META]: data } };
}
