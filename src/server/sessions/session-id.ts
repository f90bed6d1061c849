/**
 * Session ids of the legacy era: sealed records of the handshake: by whom, when, and how.
 *
 * MCP allows any visible ASCII text as an id; ours contains all that another process needs to adopt the session. A
 * client's self-description is cut to what is used: the id is a header of every request, and its contents stay in
 * memory for as long as the session.
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

/** Opens a session id; returns undefined when it is not ours. */
export function openSession(seal: Seal, sessionId: string): SessionRecord | undefined {
  const record = seal.open(USE, sessionId) as
    | (Omit<InitializeParams, 'clientInfo'> &
        Omit<SessionRecord, 'initialize'> & { readonly client: InitializeParams['clientInfo'] })
    | undefined;
  // Earlier builds sealed no time, so their sessions would never end.
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

/** The client capabilities that a server may use, with their modes; settings within them, which may be long, are dropped. */
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
