/**
 * Passes messages between one server and the hosts that share it.
 *
 * A question of the server goes to the host whose call it works on; when that host is gone, the question waits for the next one.
 * Responses to calls whose host is gone are written to the ledger here.
 */
import { classifyFailure } from '../../transports/http-refusal.ts';
import type { KeptCall, RequestFailure } from '../../transports/keeping-transport.ts';
import { type OversizedAnswer, tooLargeError } from '../../transports/too-large.ts';
import type { HostControl } from '../frames.ts';
import { AnswerWrites, type AnswerWritesOptions } from './answer-writes.ts';
import { Handshake } from './handshake.ts';
import { type KeptCallState, KeptCalls } from './kept-calls.ts';
import { isRequest, type Message, parseMessage, readProgressToken, toLine } from './message.ts';
import { OpenQuestions } from './open-questions.ts';
import { type OpenRequest, OpenRequests } from './open-requests.ts';
import type { ClientState, RelayClient } from './relay-client.ts';

export interface RelayOptions extends AnswerWritesOptions {
  toServer(line: string, call?: KeptCall): void;
  /** Sends the answer to a question of the server, which may not read it. */
  answerServer(line: string): void;
  /** Ends the server, even if hosts are connected. */
  endServer(): void;
}

const INITIALIZE = 'initialize';
const CANCELLED = 'notifications/cancelled';

export class Relay {
  readonly #options: RelayOptions;
  readonly #clients = new Map<RelayClient, ClientState>();
  readonly #requests = new OpenRequests();
  readonly #questions = new OpenQuestions();
  readonly #kept = new KeptCalls<RelayClient>();
  readonly #handshake = new Handshake<RelayClient>();
  readonly #writes: AnswerWrites;
  #initializeId: string | number | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#writes = new AnswerWrites(this.#kept, options);
  }

  /** Whether no host is connected and no call is held. */
  get isIdle(): boolean {
    return this.#clients.size === 0 && this.#kept.size === 0;
  }

  /** Whether no host is connected. */
  get isHostless(): boolean {
    return this.#clients.size === 0;
  }

  get clients(): Iterable<RelayClient> {
    return this.#clients.keys();
  }

  /** Calls that have not ended, or whose response could not be recorded. */
  get unfinished(): readonly string[] {
    return [...this.#kept.callIds, ...this.#kept.lostIds];
  }

  /** Calls that no host follows. */
  get unattended(): readonly string[] {
    return this.#kept.callIds.filter((callId) => this.#kept.get(callId)?.client === undefined);
  }

  /** Drops a call whose outcome is on disk, whichever process wrote it. */
  forget(callId: string): void {
    if (this.#kept.get(callId)?.client === undefined) this.#done(callId);
  }

  /** Resolves when no write is in progress. */
  whenWritten(): Promise<void> {
    return this.#writes.whenWritten();
  }

  /** Retries the writes that failed; `false` when there are none. */
  retryWrites(): boolean {
    return this.#writes.retryFailed();
  }

  attach(client: RelayClient): void {
    this.#clients.set(client, { since: this.#kept.nextNumber, hasReplay: false, announced: undefined });
  }

  /** The host is gone: its calls go on, its other requests are cancelled. */
  detach(client: RelayClient): void {
    if (!this.#clients.delete(client)) return;
    for (const id of this.#requests.release(client)) this.#cancelRequest(id);
    this.#questions.release(client);
    for (const kept of this.#kept.ofClient(client)) {
      kept.client = undefined;
      if (kept.answer !== undefined) this.#writes.write(kept);
    }
    this.#options.onChange();
  }

  fromHost(client: RelayClient, line: string): void {
    const message = parseMessage(line);
    if (!message) return;
    if (message.method === undefined) this.#handleHostResponse(client, message, line);
    else if (isRequest(message)) this.#handleHostRequest(client, message, line);
    else this.#handleHostNotification(client, message, line);
  }

  controlFromHost(client: RelayClient, control: HostControl): void {
    const attached = this.#clients.get(client);
    if (!attached) return;
    if (control.word === 'keep') attached.announced = { id: control.id, call: control.call };
    if (control.word === 'done') this.#done(control.callId);
    if (control.word === 'cancel') for (const id of this.#requests.idsOfCall(control.callId)) this.#cancelRequest(id);
    if (control.word === 'join') this.#join(client, control);
    if (control.word === 'end') this.#endServerFor(client, control.callId);
  }

  /** `callId` is set when the line arrived on the connection of this call only. */
  fromServer(line: string, callId?: string): void {
    const message = parseMessage(line);
    if (!message) return;
    const { id, method } = message;
    if (method === undefined) this.#handleServerResponse(message, line);
    else if (id !== undefined) this.#handleServerRequest(message, callId);
    else this.#handleServerNotification(message, line, callId);
  }

  /** The response to this request cannot arrive any more. */
  failed(id: string | number, failure: RequestFailure): void {
    const open = this.#requests.take(id);
    if (!open) return;
    const { client, callId = '' } = open;
    const kept = this.#kept.get(callId);
    client?.sendControl({ word: 'refused', id: Number(open.id), failure });
    this.#questions.forget(callId);
    if (kept && kept.id === id) this.#applyFailure(kept, classifyFailure(failure, id));
    this.#options.onChange();
  }

  /** The response with this id, or a message that no request waits for, was too long to be accepted. */
  oversized(id: number | undefined, answer: OversizedAnswer): void {
    const { bytes } = answer;
    if (id === undefined) {
      for (const client of this.#clients.keys()) client.sendControl({ word: 'oversized', bytes });
      return;
    }
    const open = this.#requests.take(id);
    const kept = open?.callId === undefined ? undefined : this.#kept.get(open.callId);
    if (typeof open?.id === 'number') open.client?.sendControl({ word: 'oversized', id: open.id, bytes });
    if (!kept || open?.client) return;
    const { code, message } = tooLargeError(answer);
    kept.answer = toLine({ id, error: { code, message } });
    this.#writes.write(kept);
  }

  #handleHostRequest(client: RelayClient, message: Message, line: string): void {
    const { id = 0, method } = message;
    if (method === INITIALIZE || method === 'server/discover') {
      const { line: known, isForwarded } = this.#handshake.handle(message, client);
      if (known !== undefined) client.sendMessage(known);
      if (!isForwarded) return;
    }
    if (method === INITIALIZE) {
      this.#initializeId = this.#requests.toFreeId(id);
      this.#options.toServer(toLine({ ...message, id: this.#initializeId }));
    } else this.#forward(client, message, line);
  }

  #forward(client: RelayClient, message: Message, line: string): void {
    const { id = 0 } = message;
    const sentId = id === this.#initializeId ? this.#requests.toFreeId(id, true) : this.#requests.toFreeId(id);
    const call = this.#takeAnnounced(client, id);
    const sent = this.#requests.add(sentId, { message, line, client, callId: call?.callId });
    if (call) this.#kept.add({ call, id: Number(sentId), client });
    this.#options.toServer(sent, call);
  }

  #takeAnnounced(client: RelayClient, id: string | number): KeptCall | undefined {
    const attached = this.#clients.get(client);
    const announced = attached?.announced;
    if (!attached || announced?.id !== id) return undefined;
    attached.announced = undefined;
    return announced.call;
  }

  #handleHostNotification(client: RelayClient, message: Message, line: string): void {
    const { method, params = {} } = message;
    if (method === 'notifications/initialized' && !this.#handshake.isFirstInitialized()) return;
    if (method !== CANCELLED) {
      this.#options.toServer(line);
      return;
    }
    const { requestId } = params;
    for (const sentId of this.#requests.sentIdsOf(client, requestId)) {
      const isSame = sentId === requestId;
      this.#requests.markCancelled(sentId);
      this.#options.toServer(isSame ? line : toLine({ ...message, params: { ...params, requestId: sentId } }));
    }
  }

  #handleServerResponse(message: Message, line: string): void {
    const { id = 0 } = message;
    if (id === this.#initializeId) {
      this.#initializeId = undefined;
      for (const { client, line: said } of this.#handshake.answered(message)) {
        if (this.#clients.has(client)) client.sendMessage(said);
      }
      return;
    }
    const open = this.#requests.take(id);
    if (!open) return;
    const own = open.id === id ? line : toLine({ ...message, id: open.id });
    const kept = open.callId === undefined ? undefined : this.#kept.get(open.callId);
    // Only if no later request of the same call has replaced it, and the call is still held.
    if (kept && kept.id === id) kept.answer = line;
    if (open.client) open.client.sendMessage(own);
    else if (kept && kept.id === id) this.#writes.write(kept);
  }

  #handleServerNotification(message: Message, line: string, callId?: string): void {
    const { method, params = {} } = message;
    if (method === CANCELLED) {
      this.#questions.withdraw(params.requestId, line);
      return;
    }
    const open = this.#requests.ofToken(method === 'notifications/progress' ? readProgressToken(message) : undefined);
    if (open?.callId !== undefined || !open) this.#kept.logNotification(line, open?.callId ?? callId);
    if (open) forwardProgress(open, message, line);
    else if (callId !== undefined) this.#sendToCallClient(callId, line);
    else for (const client of this.#clients.keys()) client.sendMessage(line);
  }

  #sendToCallClient(callId: string, line: string): void {
    const client = this.#kept.get(callId)?.client;
    client?.sendControl({ word: 'tells', callId });
    client?.sendMessage(line);
  }

  #handleServerRequest(message: Message, named?: string): void {
    const response = this.#questions.toImmediateResponse(message, this.#clients.size);
    if (response !== undefined) {
      this.#options.answerServer(response);
      return;
    }
    const asking = this.#requests.findAsking(named);
    const [first] = this.#clients.keys();
    const client = asking ? asking.client : first;
    this.#questions.add(message, { client, callId: asking?.callId, isNamed: named !== undefined });
  }

  #handleHostResponse(client: RelayClient, { id }: Message, line: string): void {
    if (this.#questions.closeIfOwned(client, id)) this.#options.answerServer(line);
  }

  #cancelRequest(requestId: string | number): void {
    this.#requests.markCancelled(requestId);
    const params = { requestId, reason: 'not needed any more' };
    this.#options.toServer(toLine({ method: CANCELLED, params }));
  }

  /** Ends a server that does not stop the work of a call, if it works on nothing else. */
  #endServerFor(client: RelayClient, callId: string): void {
    const isHeld = this.#kept.callIds.some((kept) => kept !== callId);
    if (isHeld || this.#requests.hasOther(callId)) client.sendControl({ word: 'busy', callId });
    else this.#options.endServer();
  }

  #done(callId: string): void {
    this.#kept.remove(callId);
    this.#options.onChange();
  }

  #join(client: RelayClient, control: HostControl & { word: 'join' }): void {
    const { callId } = control;
    const kept = this.#kept.get(callId);
    if (!kept) client.sendControl({ word: this.#kept.wasWritten(callId) ? 'written' : 'unknown', callId });
    // After that write, the outcome is either on disk, or the call is still held here.
    else if (kept.writing) void kept.writing.then(() => this.#clients.has(client) && this.#join(client, control));
    else this.#handOver(client, kept, control.wantsAnswer);
  }

  #handOver(client: RelayClient, kept: KeptCallState<RelayClient>, wantsAnswer: boolean): void {
    const { callId } = kept.call;
    const attached = this.#clients.get(client);
    if (!attached) return;
    const { notifications, isWhole } = this.#kept.notificationsOf(callId);
    const isFollower = kept.client === client;
    kept.client = client;
    client.sendControl({ word: 'kept', callId, id: kept.id, isWhole });
    const open = this.#requests.get(kept.id);
    if (open) Object.assign(open, { client, id: kept.id });
    for (const { line, number, callId: about } of isFollower ? [] : notifications) {
      // The host may have received a broadcast notification before it listened for this call, so it gets it again as a replay.
      const isKnown = about === undefined && (attached.hasReplay || number >= attached.since);
      if (isKnown) client.sendControl({ word: 'again', callId });
      client.sendMessage(line);
    }
    attached.hasReplay = true;
    this.#questions.assign(client, callId);
    if (wantsAnswer && kept.answer !== undefined) client.sendMessage(kept.answer);
  }

  #applyFailure(kept: KeptCallState<RelayClient>, outcome: ReturnType<typeof classifyFailure>): void {
    const { callId } = kept.call;
    if (outcome === 'unsent') this.#kept.forget(callId);
    else if (outcome === 'lost') this.#kept.markLost(callId);
    else {
      kept.answer = toLine({ id: kept.id, ...outcome });
      if (!kept.client) this.#writes.write(kept);
    }
  }
}

function forwardProgress({ client, token }: OpenRequest, message: Message, line: string): void {
  if (!client || !token) return;
  const isOwn = token.own === token.sent;
  client.sendMessage(isOwn ? line : toLine({ ...message, params: { ...message.params, progressToken: token.own } }));
}
