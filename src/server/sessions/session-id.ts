/**
 * Session ids of the legacy era: sealed records of who shook hands, when, and how.
 *
 * The MCP specification lets an id be any visible ASCII text; ours says all that another process needs to go on. What a
 * client says of itself is cut to what is used: the id comes back as a header of every request, and what is in it is kept
 * in memory for as long as the session is.
 */

import type { Seal } from '../../dialects/server-port.ts';
import { canShowViews, VIEWS_DECLARED } from '../../dialects/shared/apps-extension.ts';
import { MAX_CLIENT_TEXT_LENGTH, MAX_PROTOCOL_VERSION } from '../../limits.ts';
import { makeToken } from '../../task/id.ts';
import type { Json } from '../../task/json.ts';

/** The parameters of `initialize`. */
export interface InitializeParams {
  readonly protocolVersion: string;
  readonly capabilities: { readonly [key: string]: Json };
  readonly clientInfo: { readonly name: string; readonly version: string };
}

export interface SessionRecord {
  /** Unguessable, and never used twice. */
  readonly nonce: string;
  readonly principal: string;
  /** Epoch ms. */
  readonly openedAt: number;
  readonly initialize: InitializeParams;
}

const USE = 'session';

export function makeSession(opened: Omit<SessionRecord, 'nonce'>): SessionRecord {
  return { ...opened, nonce: makeToken(), initialize: toUsed(opened.initialize) };
}

export function sealSession(seal: Seal, { nonce, principal, openedAt, initialize }: SessionRecord): string {
  const { protocolVersion, capabilities, clientInfo } = initialize;
  return seal.seal(USE, { nonce, principal, openedAt, protocolVersion, capabilities, client: { ...clientInfo } });
}

/** What the id says; nothing when it is not ours. */
export function openSession(seal: Seal, sessionId: string): SessionRecord | undefined {
  const record = seal.open(USE, sessionId) as
    | (Omit<InitializeParams, 'clientInfo'> &
        Omit<SessionRecord, 'initialize'> & { readonly client: InitializeParams['clientInfo'] })
    | undefined;
  // Builds before this one sealed no time, and theirs would never end.
  if (typeof record?.openedAt !== 'number') return undefined;
  const { nonce, principal, openedAt, protocolVersion, capabilities, client } = record;
  return { nonce, principal, openedAt, initialize: { protocolVersion, capabilities, clientInfo: client } };
}

function toUsed({ protocolVersion, capabilities, clientInfo }: InitializeParams): InitializeParams {
  return {
    protocolVersion: protocolVersion.slice(0, MAX_PROTOCOL_VERSION),
    capabilities: toKnown(capabilities),
    clientInfo: {
      name: clientInfo.name.slice(0, MAX_CLIENT_TEXT_LENGTH),
      version: clientInfo.version.slice(0, MAX_CLIENT_TEXT_LENGTH),
    },
  };
}

/** What a server may ask a client for, and how it may; each without the settings that may be added at length. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['context', 'tools'],
  roots: [],
};

function toKnown(capabilities: { readonly [key: string]: Json }): { [key: string]: Json } {
  const known: { [key: string]: Json } = {};
  for (const [name, modes] of Object.entries(KNOWN)) {
    const declared = capabilities[name] as { readonly [mode: string]: Json } | undefined;
    if (declared === undefined) continue;
    known[name] = Object.fromEntries(modes.filter((mode) => declared[mode] !== undefined).map((mode) => [mode, {}]));
  }
  return canShowViews(capabilities.extensions) ? { ...known, extensions: VIEWS_DECLARED } : known;
}
