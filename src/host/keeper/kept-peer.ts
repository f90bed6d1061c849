/** What a keeper holds for its hosts: a program on stdio, or requests at a server over HTTP. */
import type { KeptCall, RequestFailure } from '../transports/keeping-transport.ts';

export interface KeptPeer {
  /** Of its process; 0 when it has none here. */
  readonly pid: number;
  /** False when it should be given no more for now. */
  send(line: string, call?: KeptCall): boolean;
  /** The answer to something that the server asked. */
  sendAnswer(line: string): void;
  pause(): void;
  resume(): void;
  end(): Promise<void>;
}

export interface KeptPeerEvents {
  /** Something came, on the connection of one call if there is one for each. */
  onLine(line: string, callId?: string): void;
  /** The answer to a request cannot come any more. */
  onFailed(id: string | number, failure: RequestFailure): void;
  /** A message was too long: the answer with this id, or none that anybody waits for. */
  onOversized(id: number | undefined, bytes: number): void;
  /** Nothing can come behind a line that does not end. */
  onEndless(bytes: number): void;
  onStderr(text: string): void;
  /** It does not run any more. */
  onExit(): void;
  /** It takes more, after it did not. */
  onDrain(): void;
}
