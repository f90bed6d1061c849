/**
 * Session ids of the legacy era: sealed records of who shook hands, and how.
 *
 * The MCP specification lets an id be any visible ASCII text; ours says all that another process needs to go on.
 */

import { makeToken } from '../task/id.ts';
import type { Json } from '../task/json.ts';
import type { Seal } from './seal.ts';

/** The parameters of `initialize`. */
export interface InitializeParams {
  readonly protocolVersion: string;
  readonly capabilities: { readonly [key: string]: Json };
  readonly clientInfo: { readonly name: string; readonly version: string };
}

export interface SessionRecord {
  readonly principal: string;
  readonly initialize: InitializeParams;
}

const USE = 'session';

// Servers take about 16 kB of headers in all, and the id is one of them in every request.
const MOST_BYTES = 4096;

export function sealSession(seal: Seal, { principal, initialize }: SessionRecord): string {
  const { protocolVersion, capabilities, clientInfo } = initialize;
  const { name, version } = clientInfo;
  const nonce = makeToken();
  const sealWith = (kept: { readonly [key: string]: Json }, client = { name, version }) =>
    seal.seal(USE, { nonce, principal, protocolVersion, capabilities: kept, client });
  const whole = sealWith(capabilities);
  if (whole.length <= MOST_BYTES) return whole;
  return sealWith(toKnown(capabilities), { name: name.slice(0, 200), version: version.slice(0, 100) });
}

/** What the id says; nothing when it is not ours. */
export function openSession(seal: Seal, sessionId: string): SessionRecord | undefined {
  const record = seal.open(USE, sessionId) as
    | (Omit<InitializeParams, 'clientInfo'> & { principal: string; client: InitializeParams['clientInfo'] })
    | undefined;
  if (!record) return undefined;
  const { principal, protocolVersion, capabilities, client } = record;
  return { principal, initialize: { protocolVersion, capabilities, clientInfo: client } };
}

/** That a client can be asked, without the settings it may have added at length. */
function toKnown(capabilities: { readonly [key: string]: Json }): { [key: string]: Json } {
  const known: { [key: string]: Json } = {};
  for (const name of ['sampling', 'roots'] as const) if (capabilities[name] !== undefined) known[name] = {};
  const elicitation = capabilities.elicitation as { form?: Json; url?: Json } | undefined;
  if (elicitation) {
    known.elicitation = {
      ...(elicitation.form !== undefined && { form: {} }),
      ...(elicitation.url !== undefined && { url: {} }),
    };
  }
  return known;
}
