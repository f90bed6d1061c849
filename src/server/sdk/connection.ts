import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { AnswerFate, EventPoint, ToldPoint } from '../../dialects/server-port.ts';
import type { AskedQuestions } from '../../dialects/shared/questions/asked-questions.ts';
import type { Json } from '../../task/json.ts';
import { readCancelled } from '../calls/answer-fate.ts';

/** Where a call says that it goes on with a stream; whatever else says so is no call at all. */
export const RESUMED_META = 'holdfast/resumed';

/** One client's way to the server: a stdio connection, an HTTP session, or a single HTTP request. */
export interface Connection {
  readonly principal: string;
  /** Legacy HTTP only. */
  readonly sessionId?: string;
  /** Where a request without a session comes from. Modern HTTP only. */
  readonly address?: string;
  /** The client started this process: it may see what the process's owner sees. */
  readonly isLocal?: boolean;
  /** Sends a request of ours; absent where the era has none. Without a related request it goes on the standing stream. */
  readonly sendRequest?: (message: OwnRequest, relatedRequestId?: string | number) => Promise<void>;
  /** Whether a stream is open that would carry such a request now. */
  readonly canSend?: (relatedRequestId?: string | number) => boolean;
  /** Tells the client something on the standing stream; legacy only. */
  readonly notify?: (method: string, params: { readonly [key: string]: Json }) => Promise<void>;
  /**
   * Calls back each time the client opens its standing stream: what was sent there before may not have arrived.
   * Legacy HTTP only.
   */
  readonly onStandingStream?: (listener: () => void) => () => void;
  /** Resolves when the client is not far behind with what was told on its standing stream. Legacy HTTP only. */
  readonly whenReady?: () => Promise<void>;
  /** What the client has been asked, on whichever of its streams; where it can be asked at all. */
  readonly asked?: AskedQuestions;
  /** Counts the bytes of an answer while they wait to be read; false when too many do already. HTTP only. */
  readonly holdAnswer?: (requestId: string | number, bytes: number) => boolean;
  /** What becomes of the answer that is about to be given to a request; nothing where nobody can tell. */
  readonly followAnswer?: (requestId: string | number) => Promise<AnswerFate> | undefined;
  /** Whether the client has asked `server/discover` here. Stdio only. */
  readonly hasProbed?: () => boolean;
  /** Keeps what the caller has been told of its task, so that its stream can be resumed from there. Legacy HTTP only. */
  readonly mark?: (requestId: string | number, told: ToldPoint) => void;
  /** Where the stream goes on whose call carries this token; each is told once. Legacy HTTP only. */
  readonly takeResumed?: (token: string) => EventPoint | undefined;
  /** Calls back when the server is about to stop, until called off. Modern HTTP only, whose streams cannot be resumed. */
  readonly onStop?: (listener: () => void) => () => void;
  /** Hears that nobody knows the method of a request: over modern HTTP the status of its answer says so too. */
  readonly onUnknownMethod?: () => void;
  /** Why the client cancelled a request, if it did. */
  cancelReason(requestId: string | number): string | undefined;
}

export interface OwnRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: { readonly [key: string]: Json } | undefined;
}

/** Remembers cancel notifications until their request asks why it was aborted. */
export class CancelReasons {
  readonly #reasons = new Map<string | number, string>();

  /** Looks at every message that comes in. */
  see(message: JSONRPCMessage): void {
    const requestId = readCancelled(message);
    if (requestId === undefined) return;
    const { reason } = (message as { params: { reason?: unknown } }).params;
    // Who gives up may say so once more in other words: opencode sends a time-out and, at the same moment, an abort.
    if (this.#reasons.has(requestId)) return;
    if (this.#reasons.size >= MOST) this.#reasons.clear();
    this.#reasons.set(requestId, typeof reason === 'string' && reason !== '' ? reason : 'cancelled by the client');
  }

  take(requestId: string | number): string | undefined {
    const reason = this.#reasons.get(requestId);
    this.#reasons.delete(requestId);
    return reason;
  }
}

// Cancels of requests that had been answered are never taken.
const MOST = 1000;
