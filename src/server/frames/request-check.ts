/**
 * What is wrong with a request of 2026-07-28 that the SDK would let pass.
 *
 * It takes a client's answers off the parameters before anybody can see what they were, and over stdio it looks at the
 * version of the first request only. Nearly all requests are faultless, so whether a message is a request at all, which costs
 * most, is asked last.
 */

import { isJSONRPCRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { invalidParams, RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { isObject } from '../../is-object.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

/** The versions whose requests carry their own. */
export const SUPPORTED_VERSIONS = ['2026-07-28'];

/** Why a request that speaks of a version cannot be served; nothing when it can. */
export function findVersionFault(message: unknown): RpcFailure | undefined {
  const requested = readVersion(message);
  if (typeof requested !== 'string' || SUPPORTED_VERSIONS.includes(requested)) return undefined;
  if (!isJSONRPCRequest(message)) return undefined;
  return new RpcFailure(RPC_CODES.UNSUPPORTED_PROTOCOL_VERSION, `Unsupported protocol version: ${requested}`, {
    supported: SUPPORTED_VERSIONS,
    requested,
  });
}

/** What is wrong with the answers a request carries; nothing when it carries none, or good ones. */
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
