import type { JsonObject } from '../../dialects/host-port.ts';

/** What a server reports about itself. */
export interface ServerInfo {
  /** The protocol version that both sides agreed on. */
  readonly protocolVersion: string;
  /** Whether that version has `initialize` and sessions (`legacy`), or is stateless with self-contained requests (`modern`). */
  readonly era: 'legacy' | 'modern';
  /** As the server declares them, including those that Holdfast does not know. */
  readonly capabilities: JsonObject;
  /** Its name and version, with title and icons if it has them. */
  readonly implementation?: JsonObject;
  /** How its tools are meant to be used. */
  readonly instructions?: string;
}
