import type { JsonObject } from '../../dialects/host-port.ts';

/** What a server says of itself. */
export interface ServerInfo {
  /** The version of the protocol that both sides agreed on. */
  readonly protocolVersion: string;
  /** Whether that is one with `initialize` and sessions, or one where each request stands for itself. */
  readonly era: 'legacy' | 'modern';
  /** As the server declares them, with those that nobody here knows. */
  readonly capabilities: JsonObject;
  /** Its name and version, with title and icons if it has them. */
  readonly implementation?: JsonObject;
  /** How its tools are meant to be used. */
  readonly instructions?: string;
}
