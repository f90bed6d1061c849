import { toFingerprint } from '../../task/json.ts';
import type { CheckedCall } from '../server-port.ts';

/** How a call is recognised when it comes again. */
export interface JoinKeys {
  /** The same for calls of the same principal and client that ask for the same thing. */
  readonly key: string;
  /**
   * The same for those of the same session, or where there is none, of the same client at the same address. One that was
   * answered is given only to these: to others the answer would be somebody else's.
   */
  readonly answeredKey?: string;
}

export function toJoinKeys({ tool, caller, stored }: CheckedCall): JoinKeys {
  const { principal, client, sessionId, address } = caller;
  const prepared = stored.prepared === undefined ? [] : [stored.prepared];
  const key = toFingerprint([principal, client?.name ?? '', tool.name, stored.input, stored.upfront, ...prepared]);
  if (tool.joinMs === 0) return { key };
  if (sessionId !== undefined) return { key, answeredKey: toFingerprint([key, 'session', sessionId]) };
  if (address === undefined) return { key };
  return { key, answeredKey: toFingerprint([key, 'address', address, client?.version ?? '']) };
}
