/**
 * Tracks whether answers arrive after they were written.
 *
 * A write to a socket or a pipe does not prove arrival. An answer counts as read when its client sends something else
 * on the same connection, or when the connection lives on; it counts as lost when the connection breaks first, or the
 * client says that it no longer waits.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { AnswerFate } from '../../dialects/server-port.ts';

type RequestId = string | number;

/** Returns the id of the request that a message cancels, if it is a cancel. */
export function readCancelled(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const { requestId } = (message.params ?? {}) as { requestId?: unknown };
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

/**
 * Whether a cancel after the answer leaves open if the answer arrived. A client that aborts on purpose does not want it
 * again, and some clients (opencode) abort each call once they have its answer.
 */
function leavesInDoubt(message: JSONRPCMessage): boolean {
  const { reason } = ('params' in message && message.params ? message.params : {}) as { reason?: unknown };
  return typeof reason !== 'string' || !ABORT.test(reason);
}

const ABORT = /^AbortError\b/;

/** Answers whose connections are tracked elsewhere (`fate`); this adds cancels, and answers that were not sent. */
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

  /** Inspects every incoming message. */
  observe(message: JSONRPCMessage): void {
    const cancelled = readCancelled(message);
    if (cancelled !== undefined && leavesInDoubt(message)) this.lose(cancelled);
  }

  /** Marks the answer to this request as lost: it was not sent, or the client no longer waits for it. */
  lose(requestId: RequestId): void {
    this.#open.get(requestId)?.('lost');
  }
}

interface OpenAnswer {
  isSent: boolean;
  end(fate: AnswerFate): void;
}

/** Answers on a pipe: a client that writes again has read what was sent before. */
export class PipeAnswers {
  readonly #open = new Map<RequestId, OpenAnswer>();

  follow(requestId: RequestId): Promise<AnswerFate> {
    return new Promise((resolve) => void this.#open.set(requestId, { isSent: false, end: resolve }));
  }

  /** Notes that a message has been written to the pipe. */
  sent(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined) return;
    const answer = this.#open.get(message.id);
    if (answer) answer.isSent = true;
  }

  /** Inspects every incoming message. */
  observe(message: JSONRPCMessage): void {
    const cancelled = readCancelled(message);
    for (const [requestId, { isSent, end }] of this.#open) {
      if (requestId !== cancelled && !isSent) continue;
      this.#open.delete(requestId);
      const isLost = requestId === cancelled && (!isSent || leavesInDoubt(message));
      end(isLost ? 'lost' : 'read');
    }
  }

  /** Whether the fate of any followed answer is still unknown. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Settles all open answers: nothing more will arrive on the pipe. */
  end(fate: AnswerFate): void {
    for (const { isSent, end } of this.#open.values()) end(isSent ? fate : 'lost');
    this.#open.clear();
  }
}
