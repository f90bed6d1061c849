import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { AnswerFate, EventPoint, ToldPoint } from '../../dialects/server-port.ts';
import type { AskedQuestions } from '../../dialects/shared/questions/asked-questions.ts';
import type { Json } from '../../task/json.ts';
import { readCancelled } from '../calls/answer-fate.ts';

/** The `_meta` key that marks our own call to resume a stream; a client's call that carries it is refused. */
export const RESUMED_META = 'holdfast/resumed';

/** One client's connection: stdio, an HTTP session, or a single HTTP request. */
export interface Connection {
  readonly principal: string;
  /** Legacy HTTP only. */
  readonly sessionId?: string;
  /** The address of a request without a session. Modern HTTP only. */
  readonly address?: string;
  /** Whether the client started this process: then it may see what the process's owner sees. */
  readonly isLocal?: boolean;
  /** Sends a request to the client; absent where the era has none. Without a related request it goes on the standing stream. */
  readonly sendRequest?: (message: OwnRequest, relatedRequestId?: string | number) => Promise<void>;
  /** Whether a stream is open that could carry such a request now. */
  readonly canSend?: (relatedRequestId?: string | number) => boolean;
  /** Sends a notification on the standing stream; legacy only. */
  readonly notify?: (method: string, params: { readonly [key: string]: Json }) => Promise<void>;
  /**
   * Calls back each time the client opens its standing stream: what was sent there before may not have arrived. Legacy
   * HTTP only.
   */
  readonly onStandingStream?: (listener: () => void) => () => void;
  /** Resolves when the client is not far behind in reading its standing stream. Legacy HTTP only. */
  readonly whenReady?: () => Promise<void>;
  /** The questions that the client has been asked, on any of its streams; absent where it cannot be asked. */
  readonly asked?: AskedQuestions;
  /** Counts the bytes of an answer while they wait to be read; false when there are too many already. HTTP only. */
  readonly holdAnswer?: (requestId: string | number, bytes: number) => boolean;
  /** Reports whether the next answer to a request arrives; undefined where that cannot be known. */
  readonly followAnswer?: (requestId: string | number) => Promise<AnswerFate> | undefined;
  /** Whether the client has sent `server/discover` on this connection. Stdio only. */
  readonly hasProbed?: () => boolean;
  /** Records what the caller has been told of its task, so that its stream can be resumed from there. Legacy HTTP only. */
  readonly mark?: (requestId: string | number, told: ToldPoint) => void;
  /** Returns where the stream of the call with this token continues; each token works once. Legacy HTTP only. */
  readonly takeResumed?: (token: string) => EventPoint | undefined;
  /**
   * Calls back when the server is about to stop; returns an unsubscribe function. Modern HTTP only, whose streams
   * cannot be resumed.
   */
  readonly onStop?: (listener: () => void) => () => void;
  /** Called when a request has an unknown method: over modern HTTP the status of the answer reports that too. */
  readonly onUnknownMethod?: () => void;
  /** The reason with which the client cancelled a request, if it did. */
  cancelReason(requestId: string | number): string | undefined;
}

export interface OwnRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: { readonly [key: string]: Json } | undefined;
}

/** Keeps the reasons of cancel notifications until their requests ask for them. */
export class CancelReasons {
  readonly #reasons = new Map<string | number, string>();

  /** Inspects every incoming message. */
  observe(message: JSONRPCMessage): void {
    const requestId = readCancelled(message);
    if (requestId === undefined) return;
    const { reason } = (message as { params: { reason?: unknown } }).params;
    // The first reason counts: opencode sends a time-out and, at the same moment, an abort.
    if (this.#reasons.has(requestId)) return;
    if (this.#reasons.size >= MAX_REASONS) this.#reasons.clear();
    this.#reasons.set(requestId, typeof reason === 'string' && reason !== '' ? reason : 'cancelled by the client');
  }

  take(requestId: string | number): string | undefined {
    const reason = this.#reasons.get(requestId);
    this.#reasons.delete(requestId);
    return reason;
  }
}

// A bound is needed: reasons of requests that were already answered are never taken.
const MAX_REASONS = 1000;
