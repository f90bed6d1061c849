/**
 * The session of a connection over HTTP of the older era (2025-11-25 and before).
 *
 * Servers may keep tasks by session: whoever follows one after a restart must name the session it was made in. The id is
 * a credential. It is kept sealed, shown to nobody, and sent nowhere but to where it came from.
 */
import type { CallHandle } from '../../dialects/host-port.ts';
import type { Json } from '../../task/json.ts';

export interface HttpSession {
  readonly id: string;
  readonly protocolVersion: string;
  /** Where it is valid: scheme, host and port. */
  readonly origin: string;
  readonly [key: string]: Json;
}

/** The session that a call was made in, if its handle knows one. */
export function readSession(handle: CallHandle | undefined): HttpSession | undefined {
  const { id, protocolVersion, origin } = (handle?.session ?? {}) as Partial<HttpSession>;
  if (typeof id !== 'string' || typeof protocolVersion !== 'string' || typeof origin !== 'string') return undefined;
  return { id, protocolVersion, origin };
}
