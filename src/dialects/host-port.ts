/**
 * What the host half of a dialect works with: one server, one call that waits for its outcome.
 *
 * A dialect follows a handle until the call has an outcome. It may be started again at any time, in another process,
 * with nothing but the handle: whatever it must remember is in there.
 */
import type { Clock } from '../clock.ts';
import { isTaskError } from '../errors.ts';
import type { Json } from '../task/json.ts';
import type { InputRequest } from './shared/questions/mcp-input.ts';

/** An object that JSON can carry. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * How the outcome of a call is waited for; each dialect has its own kind, and all that it must remember is in it. The host
 * adds `isAcked`, `isWaiting` and `session`.
 */
export interface CallHandle {
  readonly dialect: string;
  readonly [key: string]: Json;
}

/** How a call ended, whatever the dialect. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject; readonly isError: boolean }
  | { readonly kind: 'error'; readonly error: CallError }
  | { readonly kind: 'cancelled'; readonly reason: string }
  /** Nobody can tell what became of the work, or it was cut off. */
  | { readonly kind: 'interrupted'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string }
  /** The call was waited for as long as its caller wanted. */
  | { readonly kind: 'timed-out'; readonly reason: string };

/** Why a call failed. */
export interface CallError {
  /** A number of JSON-RPC, or a name of ours. */
  readonly code: number | string;
  readonly message: string;
  readonly data?: Json;
}

/** What is heard of a call before its outcome. */
export type CallUpdate =
  | { readonly type: 'status'; readonly status: string; readonly message?: string }
  | {
      readonly type: 'progress';
      /** 0..1 when the whole is known. */
      readonly value: number;
      readonly total?: number;
      readonly message?: string;
      readonly remainingMs?: number;
    }
  | { readonly type: 'estimate'; readonly estimateMs: number }
  /** A line, or all that was said at once. */
  | { readonly type: 'text'; readonly text: string }
  /** Events numbered `from` to `to`, both included, are lost. */
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  /** Nothing can be done for the call until its host connects this server. */
  | { readonly type: 'unconnected'; readonly server: string }
  /** The server is away; it is tried again, so many times until now. */
  | { readonly type: 'unreachable'; readonly server: string; readonly tries: number; readonly reason: string }
  /** So many updates were let go before this reader came to them. */
  | { readonly type: 'missed'; readonly count: number }
  | { readonly type: 'question'; readonly key: string; readonly request: InputRequest }
  | { readonly type: 'answered'; readonly key: string };

/** A notification of a server. */
export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
  /** The call on whose stream it came, where each has one. */
  readonly callId?: string;
}

/** An answer of the server's: a result, or an error of JSON-RPC. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: CallError & { readonly code: number } };

/** What is known of a server. */
export interface ServerFacts {
  readonly era: 'legacy' | 'modern';
  readonly capabilities: JsonObject;
  readonly isStdio: boolean;
}

/** A task of the server's that does the work of a call in another dialect. */
export interface ServerTask {
  /** Waits for its outcome; `update` hears of it instead of the caller. */
  follow(update?: HostPort['update']): Promise<CallOutcome>;
  /** False when the server did not take it. */
  cancel(): Promise<boolean>;
}

/** The way from a dialect to its server and to the one who called. */
export interface HostPort {
  readonly clock: Clock;
  /** Fires when nobody waits any longer: the dialect stops, and changes nothing. */
  readonly signal: AbortSignal;
  /**
   * Sends a request on the connection there is, or on a new one; rejects with `LINE_LOST` when the line breaks before
   * the answer is there, and with `CONNECT_FAILED` when it did not arrive. Nothing is sent twice.
   */
  request(method: string, params: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<Reply>;
  /** Hears everything the server tells, on whatever connection, until the returned function is called. */
  onNotification(listener: (notification: Notification) => void): () => void;
  /** Calls back each time there is a connection other than the one the call was sent on: what was told was missed. */
  onConnected(listener: () => void): () => void;
  /** What is known of the server. */
  readonly server: ServerFacts;
  /** The task with this id; nothing when the server has no tasks that a dialect of the host can follow. */
  findTask?(taskId: string): ServerTask | undefined;
  /** Whether the one who called wants the work stopped: an end that the server tells now may be that of the cancel. */
  isStopping?(): boolean;
  /** Tells the one who called. */
  update(update: CallUpdate): void;
  /** Adds to the handle what its cancel will need. */
  keep?(more: JsonObject): void;
  /**
   * Asks the user, or finds the answer given before: the same key is never asked twice. `refusal` is why the server did
   * not take the answer to the key before, in its words.
   */
  ask(key: string, request: InputRequest, refusal?: string): Promise<JsonObject>;
}

/** Whether a request failed by its way, which says nothing of what it asked for. */
export function isLineFailure(error: unknown): boolean {
  return isTaskError(error, 'LINE_LOST') || isTaskError(error, 'CONNECT_FAILED');
}
