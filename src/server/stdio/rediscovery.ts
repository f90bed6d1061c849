/**
 * Brings a client back to 2026-07-28 that fell back to an earlier handshake because this server started late.
 *
 * Such a client has sent `server/discover`, waited for two or three seconds, and then sends `initialize`; a session
 * that begins this way has no tasks. If that is refused once with the supported versions, the client probes again. A
 * client that insists is served, and only clients known to probe again are refused.
 */

import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { findProfile, type Profiles } from '../clients/profiles.ts';
import { SUPPORTED_VERSIONS } from '../frames/request-check.ts';

export class Rediscovery {
  readonly #profiles: () => Profiles;
  #hasProbed = false;
  #isRefused = false;

  constructor(profiles: () => Profiles) {
    this.#profiles = profiles;
  }

  /** Inspects every message of a connection; returns the refusal of an `initialize` that should be `server/discover`. */
  observe(message: unknown): RpcFailure | undefined {
    const { method } = message as { readonly method?: unknown };
    if (method !== 'server/discover' && method !== 'initialize') return undefined;
    if (!isJSONRPCRequest(message)) return undefined;
    if (message.method === 'server/discover') this.#hasProbed = true;
    if (message.method !== 'initialize' || !this.#hasProbed || this.#isRefused) return undefined;
    const { clientInfo, protocolVersion } = message.params ?? {};
    if (!this.#canRediscover(clientInfo)) return undefined;
    this.#isRefused = true;
    const requested = typeof protocolVersion === 'string' ? protocolVersion : 'unknown';
    const text = `Unsupported protocol version: ${requested}; this server was late to answer server/discover, ask again`;
    return new RpcFailure(RPC_CODES.UNSUPPORTED_PROTOCOL_VERSION, text, { supported: SUPPORTED_VERSIONS, requested });
  }

  #canRediscover(clientInfo: unknown): boolean {
    const name = (clientInfo as { name?: unknown } | null | undefined)?.name;
    return typeof name === 'string' && findProfile(this.#profiles(), name).rediscovers === true;
  }
}
