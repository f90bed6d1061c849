import type { KeptCall } from '../../transports/keeping-transport.ts';
import type { KeeperWord } from '../frames.ts';

/** A host at the relay. */
export interface RelayClient {
  message(line: string): void;
  word(word: KeeperWord): void;
}

/** What a relay knows of a host that is attached. */
export interface Attached {
  /** The first notification that it was told as it came. */
  readonly since: number;
  /** It has been given what was told before. */
  isTold: boolean;
  /** What the next request of this id is. */
  announced: { readonly id: number; readonly call: KeptCall } | undefined;
}
