/**
 * The hosts' requests that the server has not answered.
 *
 * They keep the ids and progress tokens that the hosts gave them, unless these are in use already: then the keeper assigns its
 * own.
 */
import { type Message, readProgressToken, toLine, withProgressToken } from './message.ts';
import type { RelayClient } from './relay-client.ts';

type Id = string | number;

export interface OpenRequest {
  /** The host that waits for the response; `undefined` when it is gone. */
  client: RelayClient | undefined;
  /** The id under which that host knows the request. */
  id: Id;
  readonly token: { readonly own: Id; readonly sent: Id } | undefined;
  /** The call that the request makes, if it makes one. */
  readonly callId: string | undefined;
  readonly isCall: boolean;
  /** Set when the server was notified that the response is not needed. */
  isCancelled?: true;
}

// Far from the ids of any host.
const FIRST_OWN_ID = 5_000_000_000;

export class OpenRequests {
  readonly #open = new Map<Id, OpenRequest>();
  readonly #tokens = new Map<Id, OpenRequest>();
  #lastId = FIRST_OWN_ID;

  /** Returns an id that is free at the server: the given one, unless it is taken. */
  toFreeId(id: Id, isTaken = this.#open.has(id)): Id {
    if (!isTaken) return id;
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Adds a request that is sent under this id; returns the line to send. */
  add(
    sentId: Id,
    request: { readonly message: Message; readonly line: string } & Pick<OpenRequest, 'client' | 'callId'>,
  ): string {
    const { message, line, client, callId } = request;
    const { id = 0 } = message;
    const own = readProgressToken(message);
    const sent = own !== undefined && this.#tokens.has(own) ? `${own}#${sentId}` : own;
    const token = own === undefined || sent === undefined ? undefined : { own, sent };
    const open: OpenRequest = { client, id, token, callId, isCall: message.method === 'tools/call' };
    this.#open.set(sentId, open);
    if (token) this.#tokens.set(token.sent, open);
    if (sentId === id && sent === own) return line;
    const rewritten = sent !== own ? withProgressToken(message, String(sent)) : message;
    return toLine({ ...rewritten, id: sentId });
  }

  get(id: Id): OpenRequest | undefined {
    return this.#open.get(id);
  }

  /** Returns the request with this progress token. */
  ofToken(token: Id | undefined): OpenRequest | undefined {
    return token === undefined ? undefined : this.#tokens.get(token);
  }

  /** Removes a request whose response arrived, or cannot arrive any more. */
  take(id: Id): OpenRequest | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open?.token) this.#tokens.delete(open.token.sent);
    return open;
  }

  /** Returns the ids under which the server knows a request of a host. */
  sentIdsOf(client: RelayClient, id: unknown): Id[] {
    return this.#idsOf((open) => open.client === client && open.id === id);
  }

  /** Returns the ids under which the server knows the requests of a call. */
  idsOfCall(callId: string): Id[] {
    return this.#idsOf((open) => open.callId === callId);
  }

  /** Marks a request whose response is not needed any more. */
  markCancelled(id: Id): void {
    const open = this.#open.get(id);
    if (open) open.isCancelled = true;
  }

  /** Whether the server works on a call other than this one. */
  hasOther(callId: string): boolean {
    return [...this.#open.values()].some((open) => open.isCall && open.callId !== callId && !open.isCancelled);
  }

  /** The host is gone; returns the requests to cancel, which are all except its calls. */
  release(client: RelayClient): Id[] {
    const left = [...this.#open].filter(([, open]) => open.client === client);
    for (const [, open] of left) open.client = undefined;
    return left.flatMap(([id, { callId }]) => (callId === undefined ? [id] : []));
  }

  /**
   * Returns the request of the call that the server's question is for: the latest call, preferring those whose host is connected.
   */
  findAsking(named?: string): OpenRequest | undefined {
    const isMatch = ({ callId }: OpenRequest) => callId !== undefined && (named ?? callId) === callId;
    const calls = [...this.#open.values()].filter(isMatch).reverse();
    return calls.find(({ client }) => client !== undefined) ?? calls[0];
  }

  #idsOf(isMatch: (open: OpenRequest) => boolean): Id[] {
    return [...this.#open].flatMap(([id, open]) => (isMatch(open) ? [id] : []));
  }
}
