/**
 * The requests of hosts that the server has not answered.
 *
 * They go under the ids and tokens that hosts gave them, unless two gave the same: then under one of the keeper's own.
 */
import { type Message, readProgressToken, toLine, withProgressToken } from './message.ts';
import type { RelayClient } from './relay-client.ts';

type Id = string | number;

export interface OpenRequest {
  /** Who waits for it; nobody when its host is gone. */
  client: RelayClient | undefined;
  /** As the host knows it that waits for it. */
  id: Id;
  readonly token: { readonly own: Id; readonly sent: Id } | undefined;
  /** The call that it makes, if it makes one. */
  readonly callId: string | undefined;
  readonly isCall: boolean;
  /** The server was told that its answer is not wanted. */
  isGivenUp?: true;
}

// Far from the ids of any host.
const FIRST_OWN_ID = 5_000_000_000;

export class OpenRequests {
  readonly #open = new Map<Id, OpenRequest>();
  readonly #tokens = new Map<Id, OpenRequest>();
  #lastId = FIRST_OWN_ID;

  /** An id under which the server can be asked: this one if it is free. */
  toFreeId(id: Id, isTaken = this.#open.has(id)): Id {
    if (!isTaken) return id;
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Takes a request in, to be sent under this id; returns what is sent. */
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
    const dressed = sent !== own ? withProgressToken(message, String(sent)) : message;
    return toLine({ ...dressed, id: sentId });
  }

  get(id: Id): OpenRequest | undefined {
    return this.#open.get(id);
  }

  /** The request that wants to be told of its progress under this token. */
  ofToken(token: Id | undefined): OpenRequest | undefined {
    return token === undefined ? undefined : this.#tokens.get(token);
  }

  /** Its answer is there, or cannot come any more. */
  take(id: Id): OpenRequest | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open?.token) this.#tokens.delete(open.token.sent);
    return open;
  }

  /** What the server knows a request of a host by. */
  sentIdsOf(client: RelayClient, id: unknown): Id[] {
    return this.#idsOf((open) => open.client === client && open.id === id);
  }

  /** What the server knows the requests of a call by. */
  idsOfCall(callId: string): Id[] {
    return this.#idsOf((open) => open.callId === callId);
  }

  /** The server is told that its answer is not wanted. */
  giveUp(id: Id): void {
    const open = this.#open.get(id);
    if (open) open.isGivenUp = true;
  }

  /** Whether the server works at a call other than this one. */
  hasOther(callId: string): boolean {
    return [...this.#open.values()].some((open) => open.isCall && open.callId !== callId && !open.isGivenUp);
  }

  /** The host is gone; returns what is to be given up, which is all but its calls. */
  leave(client: RelayClient): Id[] {
    const left = [...this.#open].filter(([, open]) => open.client === client);
    for (const [, open] of left) open.client = undefined;
    return left.flatMap(([id, { callId }]) => (callId === undefined ? [id] : []));
  }

  /** The call that the server works at: the last one it was given, of a host that is there if there is one. */
  findAsking(named?: string): OpenRequest | undefined {
    const isIt = ({ callId }: OpenRequest) => callId !== undefined && (named ?? callId) === callId;
    const calls = [...this.#open.values()].filter(isIt).reverse();
    return calls.find(({ client }) => client !== undefined) ?? calls[0];
  }

  #idsOf(isMeant: (open: OpenRequest) => boolean): Id[] {
    return [...this.#open].flatMap(([id, open]) => (isMeant(open) ? [id] : []));
  }
}
