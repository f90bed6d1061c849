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
  /** One to go on with; without it there will be a new one. */
  readonly session?: HttpSession | undefined;
}

/** A server over HTTP, with limits on what it can make us keep. */
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
    // Requests of ours are not counted: somebody waits for each of them.
    return isAnswer ? this.#answers.send(send) : send();
  }
}

/** The delay may be what the server said, and a timer takes a number that is too large for none at all. */
function reconnectLater(reconnect: () => void, delayMs: number): () => void {
  const waitMs = Math.min(HOST_MAX_RECONNECT_MS, Math.max(HOST_MIN_RECONNECT_MS, delayMs));
  const timer = setTimeout(reconnect, waitMs);
  return () => clearTimeout(timer);
}
