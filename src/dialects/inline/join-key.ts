import { toFingerprint } from '../../task/json.ts';
import type { CheckedCall } from '../server-port.ts';

/** The keys by which a repeated call is recognised. */
export interface JoinKeys {
  /** Equal for calls of the same principal and client that ask for the same thing. */
  readonly key: string;
  /**
   * Equal only within one session or, without a session, for the same client at the same address. A task that was
   * answered is joined only by this key: any other caller would get an answer that was meant for another client.
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
