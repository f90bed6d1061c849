/**
 * A dialect: one wire contract for long calls, in a server half and a host half that share nothing but the wire format.
 *
 * `table.ts` lists the built-in dialects. This file declares what must be known before a half is loaded; a half is
 * loaded by the side that needs it, when it first serves or calls.
 */
import type { DeliveryHandler } from '../engine/recovery/courier.ts';
import type { HostDialect } from './host-dialect.ts';
import type { ServerDialect } from './server-dialect.ts';
import type { Era } from './server-port.ts';

/** A wire contract that servers and hosts accept in addition to the built-in ones. */
export interface Dialect {
  readonly name: string;
  /** The capabilities that a server declares in its handshake because it speaks the dialect, by era. */
  readonly capabilities?: { readonly [E in Era]?: { readonly [name: string]: object } };
  /** Handlers, by topic, of the outbox messages written when a task ends. Workers, which serve no clients, run them too. */
  readonly outbox?: () => Promise<Readonly<Record<string, DeliveryHandler>>>;
  readonly server?: () => Promise<ServerDialect>;
  readonly host?: () => Promise<HostDialect>;
}
