/**
 * A dialect: one wire contract for calls that take long, in two halves that know nothing of each other but the wire.
 *
 * `table.ts` lists those that are built in. What must be known before a half is loaded stands here; each half is loaded by
 * the side that needs it, when it serves or calls.
 */
import type { DeliveryHandler } from '../engine/recovery/courier.ts';
import type { HostDialect } from './host-dialect.ts';
import type { ServerDialect } from './server-dialect.ts';
import type { Era } from './server-port.ts';

/** A wire contract that servers and hosts can be given beside the built-in ones. */
export interface Dialect {
  readonly name: string;
  /** What a server declares in its handshake because it speaks the dialect, by era. */
  readonly capabilities?: { readonly [E in Era]?: { readonly [name: string]: object } };
  /** Handlers of the messages that ends of tasks put into the outbox, by topic. Workers, which serve nobody, run them too. */
  readonly outbox?: () => Promise<Readonly<Record<string, DeliveryHandler>>>;
  readonly server?: () => Promise<ServerDialect>;
  readonly host?: () => Promise<HostDialect>;
}
