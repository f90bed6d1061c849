import type { KeptCall } from '../../transports/keeping-transport.ts';
import type { KeeperControl } from '../frames.ts';

/** A host that is connected to the relay. */
export interface RelayClient {
  sendMessage(line: string): void;
  sendControl(control: KeeperControl): void;
}

/** The state of a connected host. */
export interface ClientState {
  /** The number of the first notification that was sent to it live. */
  readonly since: number;
  /** Whether the earlier notifications have been replayed to it. */
  hasReplay: boolean;
  /** The call that its next request makes, if that request has this id. */
  announced: { readonly id: number; readonly call: KeptCall } | undefined;
}
