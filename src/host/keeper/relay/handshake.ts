/**
 * One handshake for all hosts of a keeper: a server of the older era shakes hands once in its life.
 *
 * The first host does it; the others get the same answer.
 */
import { RPC_CODES } from '../../../rpc-codes.ts';
import { type Message, toLine } from './message.ts';

/** Who waits for the answer, and under which id. */
interface Waiting<Client> {
  readonly client: Client;
  readonly id: string | number;
}

export class Handshake<Client> {
  #waiting: Waiting<Client>[] = [];
  #answer: Message | undefined;
  #isToldOfEnd = false;

  /** What is answered at once; nothing when the server is asked, or has been. */
  take(message: Message, client: Client): { readonly line?: string; readonly goesOn: boolean } {
    const { id = 0, method } = message;
    // The era is known, and there are servers that end at a request they do not know.
    if (method === 'server/discover') return this.#answer ? { line: toUnknown(id), goesOn: false } : { goesOn: true };
    if (this.#answer) return { line: toLine({ ...this.#answer, id }), goesOn: false };
    this.#waiting.push({ client, id });
    return { goesOn: this.#waiting.length === 1 };
  }

  /** The server has answered; what it refused may be tried again. */
  answered(message: Message): readonly { readonly client: Client; readonly line: string }[] {
    if ('result' in message) this.#answer = message;
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.map(({ client, id }) => ({ client, line: toLine({ ...message, id }) }));
  }

  /** Whether the server is to hear that the handshake is over: once. */
  isFirstEnd(): boolean {
    const isFirst = !this.#isToldOfEnd;
    this.#isToldOfEnd = true;
    return isFirst;
  }
}

function toUnknown(id: string | number): string {
  return toLine({ id, error: { code: RPC_CODES.METHOD_NOT_FOUND, message: 'the server shook hands in another way' } });
}
