/**
 * One handshake for all hosts of a keeper: a server of the older era accepts only one in its lifetime.
 *
 * The first host performs it; the others get the same response.
 */
import { RPC_CODES } from '../../../rpc-codes.ts';
import { type Message, toLine } from './message.ts';

/** A host that waits for the response, and the id of its request. */
interface WaitingClient<Client> {
  readonly client: Client;
  readonly id: string | number;
}

export class Handshake<Client> {
  #waiting: WaitingClient<Client>[] = [];
  #answer: Message | undefined;
  #isInitialized = false;

  /**
   * Handles a handshake request: returns the `line` to respond with, if it is known already, and whether the request goes on to
   * the server.
   */
  handle(message: Message, client: Client): { readonly line?: string; readonly isForwarded: boolean } {
    const { id = 0, method } = message;
    // The era is known already, and some servers exit on a request they do not know.
    if (method === 'server/discover')
      return this.#answer ? { line: toMethodNotFound(id), isForwarded: false } : { isForwarded: true };
    if (this.#answer) return { line: toLine({ ...this.#answer, id }), isForwarded: false };
    this.#waiting.push({ client, id });
    return { isForwarded: this.#waiting.length === 1 };
  }

  /**
   * Stores the server's response, unless it is an error: then the handshake may be retried. Returns the lines for the waiting
   * hosts.
   */
  answered(message: Message): readonly { readonly client: Client; readonly line: string }[] {
    if ('result' in message) this.#answer = message;
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.map(({ client, id }) => ({ client, line: toLine({ ...message, id }) }));
  }

  /** Whether `notifications/initialized` still has to be sent to the server: only the first time. */
  isFirstInitialized(): boolean {
    const isFirst = !this.#isInitialized;
    this.#isInitialized = true;
    return isFirst;
  }
}

function toMethodNotFound(id: string | number): string {
  return toLine({ id, error: { code: RPC_CODES.METHOD_NOT_FOUND, message: 'the server shook hands in another way' } });
}
