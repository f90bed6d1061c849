/**
 * Validates requests of 2026-07-28 where the SDK does not.
 *
 * The SDK strips a client's answers off the parameters before they can be inspected, and over stdio it checks the
 * version of the first request only. Nearly all requests are valid, so the most expensive check, whether a message is a
 * request at all, comes last.
 */

import { isJSONRPCRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { invalidParams, RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { isObject } from '../../is-object.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

/** Versions whose requests carry their own version. */
export const SUPPORTED_VERSIONS = ['2026-07-28'];

/** Why a request that names a protocol version cannot be served; undefined when it can. */
export function findVersionFault(message: unknown): RpcFailure | undefined {
  const requested = readVersion(message);
  if (typeof requested !== 'string' || SUPPORTED_VERSIONS.includes(requested)) return undefined;
  if (!isJSONRPCRequest(message)) return undefined;
  return new RpcFailure(RPC_CODES.UNSUPPORTED_PROTOCOL_VERSION, `Unsupported protocol version: ${requested}`, {
    supported: SUPPORTED_VERSIONS,
    requested,
  });
}

/** What is wrong with the answers in a request; undefined when it has none, or valid ones. */
export function findAnswersFault(message: unknown): RpcFailure | undefined {
  if (readVersion(message) === undefined) return undefined;
  const fault = findFault(message as Readonly<Record<string, unknown>>);
  return fault && isJSONRPCRequest(message) ? fault : undefined;
}

function findFault({ method, params }: Readonly<Record<string, unknown>>): RpcFailure | undefined {
  const { inputResponses, requestState } = params as Readonly<Record<string, unknown>>;
  if (inputResponses === undefined && method === 'tasks/update') {
    return invalidParams('Invalid params: tasks/update requires inputResponses');
  }
  if (inputResponses !== undefined && !isObject(inputResponses)) {
    return invalidParams(`Invalid params: ${method} inputResponses must be an object`);
  }
  if (requestState === undefined || typeof requestState === 'string') return undefined;
  return invalidParams(`Invalid params: ${method} requestState must be a string`);
}

function readVersion(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: { _meta?: Record<string, unknown> | null } | null };
  return params?._meta?.[PROTOCOL_VERSION_META_KEY];
}
