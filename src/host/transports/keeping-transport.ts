/** A transport to a server that is held by a keeper: calls outlive the host that sent them. */
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Json } from '../../task/json.ts';
import type { HttpSession } from './http-session.ts';

/** A call as its keeper knows it: enough to read the answer when nobody else is there. */
export interface KeptCall {
  readonly callId: string;
  /** How its answer is read; nothing when only a host can. */
  readonly context?: { readonly [key: string]: Json };
  /** How its request goes out, over HTTP. */
  readonly http?: KeptHttpRequest;
}

/** One request over HTTP, with all that it needs: keepers know no server and no secret before. */
export interface KeptHttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The session of the host. */
  readonly session?: HttpSession;
  readonly protocolVersion?: string;
  /** Whether closing its stream is how it is given up (2026-07-28); elsewhere it takes words. */
  readonly endsByStream: boolean;
  /** Arguments that go along as headers. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** Why the answer to a request over HTTP cannot come any more. */
export interface RequestFailure {
  readonly message: string;
  /** The server refused it. */
  readonly status?: number;
  readonly text?: string;
  /** Nothing can have arrived. */
  readonly isUnreachable?: boolean;
  readonly isStreamEnd?: boolean;
  /** The answer came and was not taken; what its error says. */
  readonly tooLarge?: Readonly<Record<string, unknown>>;
}

/** What a keeper says of a call that may have been sent before. */
export type Joined =
  /** It has the call, under this id; what was told of it comes next. `isWhole` when nothing of that is missing. */
  | { readonly word: 'kept'; readonly callId: string; readonly id: number; readonly isWhole: boolean }
  /** It never had the call. */
  | { readonly word: 'unknown'; readonly callId: string }
  /** It has had it: what became of it is in the ledger. */
  | { readonly word: 'written'; readonly callId: string }
  /** Nothing can be said: there is no keeper, or none any more. */
  | { readonly word: 'lost'; readonly callId: string };

export interface KeepingTransport extends Transport {
  /** The name of the keeper: another one has other calls. */
  readonly keeper: string | undefined;
  /** Asks for a call; called back before anything that was told of it comes. */
  join(callId: string, wantsAnswer: boolean, onJoined: (joined: Joined) => void): void;
  /** The work of a call is not wanted any more, whoever sent it. */
  cancelKept(callId: string): void;
  /** Whether an earlier keeper, which has ended, certainly never had a call. */
  neverHad(keeper: string, callId: string): Promise<boolean>;
  /** What there is to know of a call is on disk. */
  done(callId: string): void;
  /** Ends the program behind it, unless it works at calls other than this one. */
  endServer?(callId: string): Promise<EndedServer>;
  /** Hears when the answer to a call that was joined cannot come; where that does not end the connection. */
  onFailed?(id: number, fail: (error: Error) => void): void;
  /** From now on calls go through a keeper; where they do not from the start. */
  keepCalls?(): Promise<void>;
  /** Hears what was told before somebody listened for this call, once it is joined. */
  onagain?: (callId: string, message: JSONRPCMessage) => void;
}

/** What became of a server that was to be ended because it does not stop a call. */
export type EndedServer =
  /** It has ended, and all that it started. */
  | 'ended'
  /** It works at other calls. */
  | 'busy'
  /** It is no program that could be ended from here, or does not run. */
  | 'none';

/** A line to a keeper that sends requests over HTTP. */
export interface KeeperLink extends KeepingTransport {
  send(message: JSONRPCMessage, options?: TransportSendOptions & { readonly kept?: KeptCall }): Promise<void>;
  onrefused?: (id: number, failure: RequestFailure) => void;
}

/** Any transport: most have no keeper behind them. */
export type MaybeKeeping = Transport & Partial<KeepingTransport>;
