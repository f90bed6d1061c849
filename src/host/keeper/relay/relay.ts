/**
 * Passes messages between one server and the hosts that share it.
 *
 * A question of the server goes to the host whose call it works on; when that host is gone, the question waits for the next one.
 * Responses to calls whose host is gone are written to the ledger here.
 */
import { judgeFailure } from '../../transports/http-refusal.ts';
import type { KeptCall, RequestFailure } from '../../transports/keeping-transport.ts';
import { type OversizedAnswer, tooLargeError } from '../../transports/too-large.ts';
import type { HostWord } from '../frames.ts';
import { AnswerWrites, type AnswerWritesOptions } from './answer-writes.ts';
import { Handshake } from './handshake.ts';
import { type Kept, KeptCalls } from './kept-calls.ts';
import { isRequest, type Message, parseMessage, readProgressToken, toLine } from './message.ts';
import { OpenQuestions } from './open-questions.ts';
import { type OpenRequest, OpenRequests } from './open-requests.ts';
import type { Attached, RelayClient } from './relay-client.ts';

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
  readonly #clients = new Map<RelayClient, Attached>();
  readonly #requests = new OpenRequests();
  readonly #questions = new OpenQuestions();
  readonly #kept = new KeptCalls<RelayClient>();
  readonly #handshake = new Handshake<RelayClient>();
  readonly #writes: AnswerWrites;
  #helloId: string | number | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#writes = new AnswerWrites(this.#kept, options);
  }

  /** Whether no host is connected and no call is held. */
  get isIdle(): boolean {
    return this.#clients.size === 0 && this.#kept.size === 0;
  }

  /** Whether no host is connected. */
  get isAlone(): boolean {
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
  writeAgain(): boolean {
    return this.#writes.again();
  }

  attach(client: RelayClient): void {
    this.#clients.set(client, { since: this.#kept.now, isTold: false, announced: undefined });
  }

  /** The host is gone: its calls go on, its other requests are cancelled. */
  detach(client: RelayClient): void {
    if (!this.#clients.delete(client)) return;
    for (const id of this.#requests.leave(client)) this.#giveUp(id);
    this.#questions.leave(client);
    for (const kept of this.#kept.ofClient(client)) {
      kept.client = undefined;
      if (kept.answer !== undefined) this.#writes.write(kept);
    }
    this.#options.onChange();
  }

  fromHost(client: RelayClient, line: string): void {
    const message = parseMessage(line);
    if (!message) return;
    if (message.method === undefined) this.#answerServer(client, message, line);
    else if (isRequest(message)) this.#request(client, message, line);
    else this.#notify(client, message, line);
  }

  wordFromHost(client: RelayClient, word: HostWord): void {
    const attached = this.#clients.get(client);
    if (!attached) return;
    if (word.word === 'keep') attached.announced = { id: word.id, call: word.call };
    if (word.word === 'done') this.#done(word.callId);
    if (word.word === 'cancel') for (const id of this.#requests.idsOfCall(word.callId)) this.#giveUp(id);
    if (word.word === 'join') this.#join(client, word);
    if (word.word === 'end') this.#endFor(client, word.callId);
  }

  /** `callId` is set when the line arrived on the connection of this call only. */
  fromServer(line: string, callId?: string): void {
    const message = parseMessage(line);
    if (!message) return;
    const { id, method } = message;
    if (method === undefined) this.#answer(message, line);
    else if (id !== undefined) this.#ask(message, callId);
    else this.#tell(message, line, callId);
  }

  /** The response to this request cannot arrive any more. */
  failed(id: string | number, failure: RequestFailure): void {
    const open = this.#requests.take(id);
    if (!open) return;
    const { client, callId = '' } = open;
    const kept = this.#kept.get(callId);
    client?.word({ word: 'refused', id: Number(open.id), failure });
    this.#questions.forget(callId);
    if (kept && kept.id === id) this.#judge(kept, judgeFailure(failure, id));
    this.#options.onChange();
  }

  /** The response with this id, or a message that no request waits for, was too long to be accepted. */
  oversized(id: number | undefined, answer: OversizedAnswer): void {
    const { bytes } = answer;
    if (id === undefined) {
      for (const client of this.#clients.keys()) client.word({ word: 'oversized', bytes });
      return;
    }
    const open = this.#requests.take(id);
    const kept = open?.callId === undefined ? undefined : this.#kept.get(open.callId);
    if (typeof open?.id === 'number') open.client?.word({ word: 'oversized', id: open.id, bytes });
    if (!kept || open?.client) return;
    const { code, message } = tooLargeError(answer);
    kept.answer = toLine({ id, error: { code, message } });
    this.#writes.write(kept);
  }

  #request(client: RelayClient, message: Message, line: string): void {
    const { id = 0, method } = message;
    if (method === INITIALIZE || method === 'server/discover') {
      const { line: known, goesOn } = this.#handshake.take(message, client);
      if (known !== undefined) client.message(known);
      if (!goesOn) return;
    }
    if (method === INITIALIZE) {
      this.#helloId = this.#requests.toFreeId(id);
      this.#options.toServer(toLine({ ...message, id: this.#helloId }));
    } else this.#forward(client, message, line);
  }

  #forward(client: RelayClient, message: Message, line: string): void {
    const { id = 0 } = message;
    const sentId = id === this.#helloId ? this.#requests.toFreeId(id, true) : this.#requests.toFreeId(id);
    const call = this.#announcedFor(client, id);
    const sent = this.#requests.add(sentId, { message, line, client, callId: call?.callId });
    if (call) this.#kept.add({ call, id: Number(sentId), client });
    this.#options.toServer(sent, call);
  }

  #announcedFor(client: RelayClient, id: string | number): KeptCall | undefined {
    const attached = this.#clients.get(client);
    const announced = attached?.announced;
    if (!attached || announced?.id !== id) return undefined;
    attached.announced = undefined;
    return announced.call;
  }

  #notify(client: RelayClient, message: Message, line: string): void {
    const { method, params = {} } = message;
    if (method === 'notifications/initialized' && !this.#handshake.isFirstEnd()) return;
    if (method !== CANCELLED) {
      this.#options.toServer(line);
      return;
    }
    const { requestId } = params;
    for (const sentId of this.#requests.sentIdsOf(client, requestId)) {
      const isSame = sentId === requestId;
      this.#requests.giveUp(sentId);
      this.#options.toServer(isSame ? line : toLine({ ...message, params: { ...params, requestId: sentId } }));
    }
  }

  #answer(message: Message, line: string): void {
    const { id = 0 } = message;
    if (id === this.#helloId) {
      this.#helloId = undefined;
      for (const { client, line: said } of this.#handshake.answered(message)) {
        if (this.#clients.has(client)) client.message(said);
      }
      return;
    }
    const open = this.#requests.take(id);
    if (!open) return;
    const own = open.id === id ? line : toLine({ ...message, id: open.id });
    const kept = open.callId === undefined ? undefined : this.#kept.get(open.callId);
    // Only if no later request of the same call has replaced it, and the call is still held.
    if (kept && kept.id === id) kept.answer = line;
    if (open.client) open.client.message(own);
    else if (kept && kept.id === id) this.#writes.write(kept);
  }

  #tell(message: Message, line: string, callId?: string): void {
    const { method, params = {} } = message;
    if (method === CANCELLED) {
      this.#questions.withdraw(params.requestId, line);
      return;
    }
    const open = this.#requests.ofToken(method === 'notifications/progress' ? readProgressToken(message) : undefined);
    if (open?.callId !== undefined || !open) this.#kept.log(line, open?.callId ?? callId);
    if (open) tellProgress(open, message, line);
    else if (callId !== undefined) this.#tellOf(callId, line);
    else for (const client of this.#clients.keys()) client.message(line);
  }

  #tellOf(callId: string, line: string): void {
    const client = this.#kept.get(callId)?.client;
    client?.word({ word: 'tells', callId });
    client?.message(line);
  }

  #ask(message: Message, named?: string): void {
    const refusal = this.#questions.toRefusal(message, this.#clients.size);
    if (refusal !== undefined) {
      this.#options.answerServer(refusal);
      return;
    }
    const asking = this.#requests.findAsking(named);
    const [first] = this.#clients.keys();
    const client = asking ? asking.client : first;
    this.#questions.add(message, { client, callId: asking?.callId, isNamed: named !== undefined });
  }

  #answerServer(client: RelayClient, { id }: Message, line: string): void {
    if (this.#questions.take(client, id)) this.#options.answerServer(line);
  }

  #giveUp(requestId: string | number): void {
    this.#requests.giveUp(requestId);
    const params = { requestId, reason: 'not needed any more' };
    this.#options.toServer(toLine({ method: CANCELLED, params }));
  }

  /** Ends a server that does not stop the work of a call, if it works on nothing else. */
  #endFor(client: RelayClient, callId: string): void {
    const isHeld = this.#kept.callIds.some((kept) => kept !== callId);
    if (isHeld || this.#requests.hasOther(callId)) client.word({ word: 'busy', callId });
    else this.#options.endServer();
  }

  #done(callId: string): void {
    this.#kept.remove(callId);
    this.#options.onChange();
  }

  #join(client: RelayClient, word: HostWord & { word: 'join' }): void {
    const { callId } = word;
    const kept = this.#kept.get(callId);
    if (!kept) client.word({ word: this.#kept.wasWritten(callId) ? 'written' : 'unknown', callId });
    // After that write, the outcome is either on disk, or the call is still held here.
    else if (kept.writing) void kept.writing.then(() => this.#clients.has(client) && this.#join(client, word));
    else this.#give(client, kept, word.wantsAnswer);
  }

  #give(client: RelayClient, kept: Kept<RelayClient>, wantsAnswer: boolean): void {
    const { callId } = kept.call;
    const attached = this.#clients.get(client);
    if (!attached) return;
    const { told, isWhole } = this.#kept.told(callId);
    const hasHeard = kept.client === client;
    kept.client = client;
    client.word({ word: 'kept', callId, id: kept.id, isWhole });
    const open = this.#requests.get(kept.id);
    if (open) Object.assign(open, { client, id: kept.id });
    for (const { line, number, callId: about } of hasHeard ? [] : told) {
      // The host may have received a broadcast notification before it listened for this call, so it gets it again as a replay.
      const isKnown = about === undefined && (attached.isTold || number >= attached.since);
      if (isKnown) client.word({ word: 'again', callId });
      client.message(line);
    }
    attached.isTold = true;
    this.#questions.give(client, callId);
    if (wantsAnswer && kept.answer !== undefined) client.message(kept.answer);
  }

  #judge(kept: Kept<RelayClient>, judged: ReturnType<typeof judgeFailure>): void {
    const { callId } = kept.call;
    if (judged === 'unsent') this.#kept.forget(callId);
    else if (judged === 'lost') this.#kept.lose(callId);
    else {
      kept.answer = toLine({ id: kept.id, ...judged });
      if (!kept.client) this.#writes.write(kept);
    }
  }
}

function tellProgress({ client, token }: OpenRequest, message: Message, line: string): void {
  if (!client || !token) return;
  const isOwn = token.own === token.sent;
  client.message(isOwn ? line : toLine({ ...message, params: { ...message.params, progressToken: token.own } }));
}
