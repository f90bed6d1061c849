/**
 * What the host half of a dialect works with: one server, and one call that waits for its outcome.
 *
 * A dialect follows a handle until the call has an outcome. It may be restarted at any time, in another process, with
 * only the handle: everything that it must remember is stored there.
 */
import type { Clock } from '../clock.ts';
import { isTaskError } from '../errors.ts';
import type { Json } from '../task/json.ts';
import type { InputRequest } from './shared/questions/mcp-input.ts';

/** An object that JSON can carry. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * The handle by which the outcome of a call is awaited. Each dialect has its own kind, which holds everything that the
 * dialect must remember. The host adds `isAcked`, `isWaiting` and `session`.
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
  /** The work was cut off, or its outcome is unknown. */
  | { readonly kind: 'interrupted'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string }
  /** The caller's timeout passed before the outcome arrived. */
  | { readonly kind: 'timed-out'; readonly reason: string };

/** Why a call failed. */
export interface CallError {
  /** A JSON-RPC error code, or one of our error names. */
  readonly code: number | string;
  readonly message: string;
  readonly data?: Json;
}

/** What is reported of a call before its outcome. */
export type CallUpdate =
  | { readonly type: 'status'; readonly status: string; readonly message?: string }
  | {
      readonly type: 'progress';
      /** 0..1 when the total amount of work is known. */
      readonly value: number;
      readonly total?: number;
      readonly message?: string;
      readonly remainingMs?: number;
    }
  | { readonly type: 'estimate'; readonly estimateMs: number }
  /** One line, or all text that arrived at once. */
  | { readonly type: 'text'; readonly text: string }
  /** Events numbered `from` to `to`, both included, are lost. */
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  /** The call cannot make progress until its host connects this server. */
  | { readonly type: 'unconnected'; readonly server: string }
  /** The server cannot be reached and is retried; `tries` counts the attempts so far. */
  | { readonly type: 'unreachable'; readonly server: string; readonly tries: number; readonly reason: string }
  /** This many updates were dropped before this reader got to them. */
  | { readonly type: 'missed'; readonly count: number }
  | { readonly type: 'question'; readonly key: string; readonly request: InputRequest }
  | { readonly type: 'answered'; readonly key: string };

/** A notification from a server. */
export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
  /** The call on whose stream it arrived, on transports that have a stream per call. */
  readonly callId?: string;
}

/** A response from the server: a result, or a JSON-RPC error. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: CallError & { readonly code: number } };

/** What is known of a server. */
export interface ServerFacts {
  readonly era: 'legacy' | 'modern';
  readonly capabilities: JsonObject;
  readonly isStdio: boolean;
}

/** A task on the server that does the work of a call made in another dialect. */
export interface ServerTask {
  /** Waits for the task's outcome; `update` receives its updates instead of the caller. */
  follow(update?: HostPort['update']): Promise<CallOutcome>;
  /** Cancels the task; false when the server refused. */
  cancel(): Promise<boolean>;
}

/** Connects a dialect to its server and to the caller. */
export interface HostPort {
  readonly clock: Clock;
  /** Aborts when the caller stops waiting: the dialect then stops, and changes nothing. */
  readonly signal: AbortSignal;
  /**
   * Sends a request on the current connection, or on a new one; rejects with `LINE_LOST` when the connection breaks
   * before the response arrives, and with `CONNECT_FAILED` when the request was not delivered. Nothing is sent twice.
   */
  request(method: string, params: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<Reply>;
  /** Receives every notification of the server, on any connection, until the returned function is called. */
  onNotification(listener: (notification: Notification) => void): () => void;
  /** Calls back for each connection other than the one the call was sent on: notifications in between were missed. */
  onConnected(listener: () => void): () => void;
  /** What is known of the server. */
  readonly server: ServerFacts;
  /** Returns the task with this id; undefined when the server has no tasks that a dialect of this host can follow. */
  findTask?(taskId: string): ServerTask | undefined;
  /** Whether the caller wants the work stopped: an end that the server reports now may be the effect of that cancel. */
  isStopping?(): boolean;
  /** Sends an update to the caller. */
  update(update: CallUpdate): void;
  /** Adds to the handle what a later cancel will need. */
  keep?(more: JsonObject): void;
  /**
   * Asks the user, or returns the answer given before: the same key is never asked twice. `refusal` is the server's own
   * message for rejecting the answer to the previous key.
   */
  ask(key: string, request: InputRequest, refusal?: string): Promise<JsonObject>;
}

/** Whether a request failed in transport, which says nothing about the work it asked for. */
export function isLineFailure(error: unknown): boolean {
  return isTaskError(error, 'LINE_LOST') || isTaskError(error, 'CONNECT_FAILED');
}
