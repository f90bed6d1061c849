import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { HOST_MAX_RECONNECT_MS, HOST_MIN_RECONNECT_MS } from '../../limits.ts';
import type { AnswerBufferOptions } from './answer-buffer.ts';
import type { HttpSession } from './http-session.ts';
import { limitFetch } from './limited-fetch.ts';
import { OpenAnswers } from './open-answers.ts';
import { patientFetch } from './patient-fetch.ts';
import type { HttpSpec } from './server-spec.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

export interface HttpTransportOptions extends AnswerBufferOptions {
  /** The session to continue; without it a new one is opened. */
  readonly session?: HttpSession | undefined;
}

/** A server over HTTP, with limits on how much memory its messages can use. */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #answers = new OpenAnswers();

  constructor({ url, headers, fetch = patientFetch }: HttpSpec, { session, ...limits }: HttpTransportOptions) {
    super(new URL(url), {
      ...(headers && { requestInit: { headers: { ...headers } } }),
      fetch: limitFetch(fetch, limits),
      reconnectionScheduler: reconnectLater,
      ...(session && { sessionId: session.id, protocolVersion: session.protocolVersion }),
    });
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    const isAnswer = !Array.isArray(message) && !('method' in message);
    const send = () => super.send(message, options);
    // Our own requests are not counted: each has a caller that waits for it.
    return isAnswer ? this.#answers.send(send) : send();
  }
}

/** Limits the delay, which the server may set: a timer with too large a delay fires at once. */
function reconnectLater(reconnect: () => void, delayMs: number): () => void {
  const waitMs = Math.min(HOST_MAX_RECONNECT_MS, Math.max(HOST_MIN_RECONNECT_MS, delayMs));
  const timer = setTimeout(reconnect, waitMs);
  return () => clearTimeout(timer);
}
