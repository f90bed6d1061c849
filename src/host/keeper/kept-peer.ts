/** What a keeper holds for its hosts: a program on stdio, or requests to servers over HTTP. */
import type { KeptCall, RequestFailure } from '../transports/keeping-transport.ts';

export interface KeptPeer {
  /** The pid of the program; 0 when there is none. */
  readonly pid: number;
  /** Sends a line; returns `false` when no more should be sent until `onDrain`. */
  send(line: string, call?: KeptCall): boolean;
  /** Sends the answer to a question of the server. */
  sendAnswer(line: string): void;
  pause(): void;
  resume(): void;
  end(): Promise<void>;
}

export interface KeptPeerEvents {
  /** Called with each line; `callId` when every call has a connection of its own. */
  onLine(line: string, callId?: string): void;
  /** Called when the response to a request cannot arrive any more. */
  onFailed(id: string | number, failure: RequestFailure): void;
  /** Called when a message was too long: the response with this id, or `undefined` for one that no request waits for. */
  onOversized(id: number | undefined, bytes: number): void;
  /** Called when a line does not end, so that nothing can follow it. */
  onEndless(bytes: number): void;
  onStderr(text: string): void;
  /** Called when the program does not run any more. */
  onExit(): void;
  /** Called when more can be sent after `send` returned `false`. */
  onDrain(): void;
}
