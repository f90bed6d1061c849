/**
 * What becomes of answers after they were written.
 *
 * To be written to a socket or a pipe is not to arrive. An answer has been read when something else comes from its client
 * by the same way, or when the way lives on; it counts as lost when the way breaks first, or the client says that it
 * does not wait any more.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { AnswerFate } from '../../dialects/server-port.ts';

type RequestId = string | number;

/** The request that a message cancels, if it does. */
export function readCancelled(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const { requestId } = (message.params ?? {}) as { requestId?: unknown };
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

/**
 * Whether a cancel that came after the answer leaves open if that arrived. Who aborts on purpose does not want it again, and
 * some clients, opencode for one, abort each call once they have its answer.
 */
function leavesInDoubt(message: JSONRPCMessage): boolean {
  const { reason } = ('params' in message && message.params ? message.params : {}) as { reason?: unknown };
  return typeof reason !== 'string' || !ABORT.test(reason);
}

const ABORT = /^AbortError\b/;

/** Answers whose ways are told elsewhere: here only what else becomes of them is heard. */
export class SessionAnswers {
  readonly #open = new Map<RequestId, (fate: AnswerFate) => void>();

  follow(requestId: RequestId, fate: Promise<AnswerFate>): Promise<AnswerFate> {
    return new Promise((resolve) => {
      const end = (known: AnswerFate) => {
        if (this.#open.get(requestId) === end) this.#open.delete(requestId);
        resolve(known);
      };
      this.#open.set(requestId, end);
      void fate.then(end);
    });
  }

  /** Looks at every message that comes in. */
  see(message: JSONRPCMessage): void {
    const cancelled = readCancelled(message);
    if (cancelled !== undefined && leavesInDoubt(message)) this.lose(cancelled);
  }

  /** The answer to this request has not been sent, or is not waited for. */
  lose(requestId: RequestId): void {
    this.#open.get(requestId)?.('lost');
  }
}

interface OpenAnswer {
  isSent: boolean;
  end(fate: AnswerFate): void;
}

/** Answers on a pipe: whoever writes again has read what was sent before. */
export class PipeAnswers {
  readonly #open = new Map<RequestId, OpenAnswer>();

  follow(requestId: RequestId): Promise<AnswerFate> {
    return new Promise((resolve) => void this.#open.set(requestId, { isSent: false, end: resolve }));
  }

  /** A message has left the process. */
  sent(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined) return;
    const answer = this.#open.get(message.id);
    if (answer) answer.isSent = true;
  }

  /** Looks at every message that comes in. */
  see(message: JSONRPCMessage): void {
    const cancelled = readCancelled(message);
    for (const [requestId, { isSent, end }] of this.#open) {
      if (requestId !== cancelled && !isSent) continue;
      this.#open.delete(requestId);
      const isLost = requestId === cancelled && (!isSent || leavesInDoubt(message));
      end(isLost ? 'lost' : 'read');
    }
  }

  /** Whether an answer has been sent of which nothing is known. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Nothing more will come. */
  end(fate: AnswerFate): void {
    for (const { isSent, end } of this.#open.values()) end(isSent ? fate : 'lost');
    this.#open.clear();
  }
}
