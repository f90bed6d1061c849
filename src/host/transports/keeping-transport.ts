/** A transport to a server that is held by a keeper: calls outlive the host that sent them. */
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Json } from '../../task/json.ts';
import type { HttpSession } from './http-session.ts';

/** A call as its keeper knows it: enough to read the response when no host is connected. */
export interface KeptCall {
  readonly callId: string;
  /** How its response is read; absent when only a host can read it. */
  readonly context?: { readonly [key: string]: Json };
  /** How its request is sent over HTTP. */
  readonly http?: KeptHttpRequest;
}

/** One HTTP request with everything it needs: a keeper knows no server and no secret beforehand. */
export interface KeptHttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The session of the host. */
  readonly session?: HttpSession;
  readonly protocolVersion?: string;
  /** Whether closing its stream cancels the request (2026-07-28); elsewhere a notification does. */
  readonly endsByStream: boolean;
  /** Arguments that are sent as headers. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** Why the response to an HTTP request cannot arrive any more. */
export interface RequestFailure {
  readonly message: string;
  /** The HTTP status with which the server refused the request. */
  readonly status?: number;
  readonly text?: string;
  /** Whether the request certainly did not arrive. */
  readonly isUnreachable?: boolean;
  readonly isStreamEnd?: boolean;
  /** The data of the error when the response arrived but was too long to be accepted. */
  readonly tooLarge?: Readonly<Record<string, unknown>>;
}

/** What a keeper knows of a call that may have been sent before. */
export type Joined =
  /** It holds the call under this request id; the notifications about it follow. `isWhole` when none of them is missing. */
  | { readonly word: 'kept'; readonly callId: string; readonly id: number; readonly isWhole: boolean }
  /** It never held the call. */
  | { readonly word: 'unknown'; readonly callId: string }
  /** It held the call before: the outcome or the handle is in the ledger, unless the outcome is unknown. */
  | { readonly word: 'written'; readonly callId: string }
  /** The state is unknown: there is no keeper, or it has ended. */
  | { readonly word: 'lost'; readonly callId: string };

export interface KeepingTransport extends Transport {
  /** The id of the keeper: another keeper holds other calls. */
  readonly keeper: string | undefined;
  /** Asks for a call; `onJoined` is called before any notification about it arrives. */
  join(callId: string, wantsAnswer: boolean, onJoined: (joined: Joined) => void): void;
  /** Cancels the work of a call, whichever host sent it. */
  cancelKept(callId: string): void;
  /** Whether an earlier keeper, which has ended, certainly never held a call. */
  neverReceived(keeper: string, callId: string): Promise<boolean>;
  /** Everything about a call is on disk; the keeper need not hold it any longer. */
  done(callId: string): void;
  /** Ends the program of the server, unless it works on calls other than this one. */
  endServer?(callId: string): Promise<EndedServer>;
  /** Registers a callback for when the response to a joined call cannot arrive; absent where that closes the connection. */
  onFailed?(id: number, fail: (error: Error) => void): void;
  /** Sends calls through a keeper from now on; absent where the transport does so from the start. */
  keepCalls?(): Promise<void>;
  /** Called, once a call is joined, with notifications that arrived before this host listened for the call. */
  onagain?: (callId: string, message: JSONRPCMessage) => void;
}

/** What happened to a server that was to be ended because it does not stop a call. */
export type EndedServer =
  /** It has ended, and every process it started. */
  | 'ended'
  /** It works on other calls. */
  | 'busy'
  /** It is no program that can be ended from here, or it does not run. */
  | 'none';

/** A connection to a keeper; for a keeper that sends requests over HTTP. */
export interface KeeperLink extends KeepingTransport {
  send(message: JSONRPCMessage, options?: TransportSendOptions & { readonly kept?: KeptCall }): Promise<void>;
  onrefused?: (id: number, failure: RequestFailure) => void;
}

/** Any transport: most have no keeper. */
export type MaybeKeeping = Transport & Partial<KeepingTransport>;
