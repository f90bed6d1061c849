/**
 * Evidence, besides its name, that a client is what it claims to be.
 *
 * Some clients report a name that their user chose: OpenAI Agents and Mastra report that of the configured server. So a
 * name alone never makes a call wait longer than the default.
 */

import type { IncomingCall } from '../../dialects/server-port.ts';
import type { InputCapabilities } from '../../dialects/shared/questions/mcp-input.ts';

/** Signs of a client; all that are given must match. */
export interface Signs {
  /** The protocol revisions it speaks. */
  readonly protocols?: readonly string[];
  /** The capabilities it declares. */
  readonly capabilities?: readonly (keyof InputCapabilities)[];
  /** The pattern of the version it reports. */
  readonly version?: RegExp;
  /** Whether it sends `server/discover` on the connection that it then uses. */
  readonly probes?: boolean;
  /** The pattern of its progress tokens; it sends one with every call. */
  readonly token?: RegExp;
}

/** Where signs are read: every request has a `caller`, calls also have a `channel`. */
export type SignSource = Pick<IncomingCall, 'caller'> & {
  readonly channel?: Pick<IncomingCall['channel'], 'progressToken'>;
};

/** Whether the client of a request shows all signs. Signs that only a call can show are not required of other requests. */
export function hasSigns(signs: Signs, { caller, channel }: SignSource): boolean {
  const { protocols, capabilities = [], version, probes = false, token } = signs;
  if (protocols && !protocols.includes(caller.protocolVersion ?? '')) return false;
  if (!capabilities.every((name) => caller.capabilities[name] !== undefined)) return false;
  if (version && !version.test(caller.client?.version ?? '')) return false;
  if (probes && caller.hasProbed !== true) return false;
  return token === undefined || channel === undefined || isToken(channel.progressToken, token);
}

function isToken(given: string | number | undefined, looks: RegExp): boolean {
  return given !== undefined && looks.test(String(given));
}
