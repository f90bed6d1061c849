import type { KeptCall } from '../../transports/keeping-transport.ts';
import type { KeeperWord } from '../frames.ts';

/** A host that is connected to the relay. */
export interface RelayClient {
  message(line: string): void;
  word(word: KeeperWord): void;
}

/** The state of a connected host. */
export interface Attached {
  /** The number of the first notification that was sent to it live. */
  readonly since: number;
  /** Whether the earlier notifications have been replayed to it. */
  isTold: boolean;
  /** The call that its next request makes, if that request has this id. */
  announced: { readonly id: number; readonly call: KeptCall } | undefined;
}
