/**
 * Brings a client back to 2026-07-28 that fell back to the handshake of earlier versions because this server was late.
 *
 * Such a client has sent `server/discover`, waited for two seconds or three, and sends `initialize` next; a session that
 * begins so has no tasks. Refused once with the versions that are spoken here, it asks again. Whoever insists is served,
 * and nobody is refused of whom it is not known that it comes back.
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

  /** Looks at every message of a connection; the refusal of the one that should not have come. */
  see(message: unknown): RpcFailure | undefined {
    const { method } = message as { readonly method?: unknown };
    if (method !== 'server/discover' && method !== 'initialize') return undefined;
    if (!isJSONRPCRequest(message)) return undefined;
    if (message.method === 'server/discover') this.#hasProbed = true;
    if (message.method !== 'initialize' || !this.#hasProbed || this.#isRefused) return undefined;
    const { clientInfo, protocolVersion } = message.params ?? {};
    if (!this.#comesBack(clientInfo)) return undefined;
    this.#isRefused = true;
    const requested = typeof protocolVersion === 'string' ? protocolVersion : 'unknown';
    const text = `Unsupported protocol version: ${requested}; this server was late to answer server/discover, ask again`;
    return new RpcFailure(RPC_CODES.UNSUPPORTED_PROTOCOL_VERSION, text, { supported: SUPPORTED_VERSIONS, requested });
  }

  #comesBack(clientInfo: unknown): boolean {
    const name = (clientInfo as { name?: unknown } | null | undefined)?.name;
    return typeof name === 'string' && findProfile(this.#profiles(), name).rediscovers === true;
  }
}
