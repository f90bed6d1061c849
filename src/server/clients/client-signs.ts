/**
 * What shows besides its name that a client is the one it seems to be.
 *
 * Some clients report a name that their user chose: OpenAI Agents and Mastra that of the configured server. A name alone
 * therefore makes nobody wait longer than the default.
 */

import type { IncomingCall } from '../../dialects/server-port.ts';
import type { InputCapabilities } from '../../dialects/shared/questions/mcp-input.ts';

/** All that is named must be so. */
export interface Signs {
  /** The revisions of the protocol that it speaks. */
  readonly protocols?: readonly string[];
  /** What it declares that it can do. */
  readonly capabilities?: readonly (keyof InputCapabilities)[];
  /** How the version looks that it reports. */
  readonly version?: RegExp;
  /** It asks `server/discover` on the connection that it then uses. */
  readonly probes?: boolean;
  /** It gives a progress token with every call, and how that looks. */
  readonly token?: RegExp;
}

/** Where a client shows itself: all of its requests, and of its calls the line as well. */
export type Showing = Pick<IncomingCall, 'caller'> & {
  readonly channel?: Pick<IncomingCall['channel'], 'progressToken'>;
};

/** Whether the client of a request shows all of these. What only a call can show is not asked of other requests. */
export function hasSigns(signs: Signs, { caller, channel }: Showing): boolean {
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
