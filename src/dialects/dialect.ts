/**
 * A dialect is one wire contract for long calls. Its halves know nothing of each other but the wire, and each is loaded by
 * the side that needs it.
 */
import type { HostDialect } from './host-dialect.ts';

export type {
  DialectAnswer,
  EarlyListener,
  HostDialect,
  HostPlace,
  ListenOptions,
  NewDialectCall,
  OutgoingCall,
  PreparedCall,
  SpecField,
  SpecFields,
} from './host-dialect.ts';

export interface Dialect {
  readonly name: string;
  readonly host?: () => Promise<HostDialect>;
}
