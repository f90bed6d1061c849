/**
 * The session of an HTTP connection of the older era (2025-11-25 and before).
 *
 * Servers may keep tasks by session: a host that follows one after a restart must use the session in which the task was created.
 * The session id is a credential: it is stored sealed, never shown, and sent only to the origin that issued it.
 */
import type { CallHandle } from '../../dialects/host-port.ts';
import type { Json } from '../../task/json.ts';

export interface HttpSession {
  readonly id: string;
  readonly protocolVersion: string;
  /** Where the session is valid: scheme, host and port. */
  readonly origin: string;
  readonly [key: string]: Json;
}

/** Returns the session in which a call was made, if its handle has one. */
export function readSession(handle: CallHandle | undefined): HttpSession | undefined {
  const { id, protocolVersion, origin } = (handle?.session ?? {}) as Partial<HttpSession>;
  if (typeof id !== 'string' || typeof protocolVersion !== 'string' || typeof origin !== 'string') return undefined;
  return { id, protocolVersion, origin };
}
