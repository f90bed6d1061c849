import type { JSONRPCMessage } from '@modelcontextprotocol/server';

export type Era = 'legacy' | 'modern';

/** A message that came back. */
export interface Seen {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What is to be sent: a message that may be no message at all, and over HTTP its headers. */
export interface Outgoing {
  readonly message: unknown;
  /** The text to send in its place; over HTTP only. */
  readonly body?: string;
  /** In place of those that belong to the message; undefined leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined };
}

/** A raw client of one era on one transport: it sends anything, and answers what it is asked. */
export interface Peer {
  readonly era: Era;
  readonly transport: 'stdio' | 'http';
  /** Sends a message and collects what comes back, up to its answer. Throws when a request is left without one. */
  send(outgoing: Outgoing): Promise<readonly Seen[]>;
  /** Sends a good request and returns its result; throws when it fails. */
  call(method: string, params?: object): Promise<{ readonly [key: string]: unknown }>;
}

/** Longer than anything takes here, so whoever waits as long will wait for ever. */
export const HANG_MS = 60_000;

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const META = 'io.modelcontextprotocol/';

/** What every request of 2026-07-28 carries. */
export function toEnvelope(capabilities: object = CAPABILITIES): { readonly [key: string]: unknown } {
  return {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'raw', version: '1' },
    [`${META}clientCapabilities`]: capabilities,
  };
}

export const CAPABILITIES = { elicitation: { form: {} }, extensions: { [`${META}tasks`]: {} } };

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: { form: {} } },
  clientInfo: { name: 'raw', version: '1' },
};

/** A request with the envelope of its era. */
export function toRequest(era: Era, { id, method, params = {} }: { id: unknown; method: string; params?: object }) {
  const { _meta } = params as { _meta?: object };
  const enveloped = era === 'modern' ? { ...params, _meta: { ...toEnvelope(), ..._meta } } : params;
  return { jsonrpc: '2.0', id, method, params: enveloped };
}

/** Stand for a long text and for deep nesting, which appear on the wire only: nothing else could print them. */
export const HUGE = '<a huge text>';
export const DEEP = '<a deep value>';
/** Deep, but not too deep. */
export const STEEP = '<a steep value>';

const HUGE_TEXT = 'x'.repeat(200_000);
const DEEP_TEXT = `${'{"a":['.repeat(20_000)}0${']}'.repeat(20_000)}`;
const STEEP_TEXT = `${'{"a":['.repeat(40)}0${']}'.repeat(40)}`;

/** A message as it goes over the wire. */
export function toText(message: unknown): string {
  return (JSON.stringify(message) ?? 'null')
    .replaceAll(JSON.stringify(DEEP), DEEP_TEXT)
    .replaceAll(JSON.stringify(STEEP), STEEP_TEXT)
    .replaceAll(HUGE, HUGE_TEXT);
}

/** The id a message must be answered by, as it goes over the wire; nothing when it is no request. */
export function toRequestId(value: unknown): string | number | undefined {
  if (!isObject(value) || typeof value.method !== 'string') return undefined;
  const { id } = value;
  if (id === DEEP || id === STEEP) return undefined;
  if (typeof id === 'string') return id.replaceAll(HUGE, HUGE_TEXT);
  return Number.isSafeInteger(id) ? (id as number) : undefined;
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer to a question of the server: nobody is there. */
export function toDecline({ id }: Seen): JSONRPCMessage {
  return { jsonrpc: '2.0', id: id as string, result: { action: 'decline' } };
}

/** Whether a stream has said what it is going to: the answer, or that it stays open. */
export function isAnswer(seen: Seen, id: unknown): boolean {
  if (seen.method === ACKNOWLEDGED) {
    return (seen.params?._meta as { [key: string]: unknown } | undefined)?.[`${META}subscriptionId`] === id;
  }
  return seen.method === undefined && seen.id === id;
}
