/**
 * The way of messages between one server and the hosts that share it.
 *
 * Requests go under the ids that hosts gave them, unless two gave the same. What the server asks goes to the host whose call
 * it works at; when that one is gone, it waits for the next. Answers to calls whose host is gone are written down here.
 */
import { HOST_MAX_OPEN_QUESTIONS } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { judgeFailure } from '../transports/http-refusal.ts';
import type { KeptCall, RequestFailure } from '../transports/keeping-transport.ts';
import { type OversizedAnswer, tooLargeError } from '../transports/too-large.ts';
import type { HostWord, KeeperWord } from './frames.ts';
import { Handshake } from './handshake.ts';
import { type Kept, KeptCalls } from './kept-calls.ts';
import { isRequest, type Message, parseMessage, readProgressToken, toLine, withProgressToken } from './message.ts';

/** A host that is attached. */
export interface RelayClient {
  message(line: string): void;
  word(word: KeeperWord): void;
}

/** What the answer to a call was written down as; `left` when only a host can read it, `failed` when it may be tried again. */
export type Written = 'outcome' | 'handle' | 'left' | 'failed';

export interface RelayOptions {
  toServer(line: string, call?: KeptCall): void;
  /** The same for what the server asked: it may not read the answers. */
  answerServer(line: string): void;
  /** Writes down what the answer to a call says that nobody waits for; `told` came before it. */
  write(call: KeptCall, answer: Answer): Promise<Written>;
  /** Calls back whenever there may be nothing left to do. */
  onChange(): void;
  /** Ends the server, whoever is there. */
  endServer(): void;
}

export interface Answer {
  readonly id: number;
  readonly line: string;
  readonly told: readonly string[];
}

interface Attached {
  /** The first notification that it heard by itself. */
  readonly since: number;
  isTold: boolean;
  /** What the next request of this id is. */
  announced: { readonly id: number; readonly call: KeptCall } | undefined;
}

interface Open {
  client: RelayClient | undefined;
  /** As the host knows it that waits for it. */
  id: string | number;
  readonly token: { readonly own: string | number; readonly sent: string | number } | undefined;
  readonly callId: string | undefined;
  readonly isCall: boolean;
  /** The server was told that its answer is not wanted. */
  isGivenUp?: true;
}

interface Question {
  readonly line: string;
  client: RelayClient | undefined;
  readonly callId: string | undefined;
  /** Whether it came on the connection of that call, and of no other. */
  readonly isNamed: boolean;
}

// Far from the ids of any host.
const FIRST_OWN_ID = 5_000_000_000;
const INITIALIZE = 'initialize';

export class Relay {
  readonly #options: RelayOptions;
  readonly #clients = new Map<RelayClient, Attached>();
  readonly #open = new Map<string | number, Open>();
  readonly #tokens = new Map<string | number, Open>();
  readonly #questions = new Map<string | number, Question>();
  readonly #kept = new KeptCalls<RelayClient>();
  readonly #handshake = new Handshake<RelayClient>();
  readonly #writing = new Set<Promise<void>>();
  #helloId: string | number | undefined;
  #lastId = FIRST_OWN_ID;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Nobody is there, and no call is held. */
  get isIdle(): boolean {
    return this.#clients.size === 0 && this.#kept.size === 0;
  }

  /** Nobody is there. */
  get isAlone(): boolean {
    return this.#clients.size === 0;
  }

  /** Resolves when nothing is being written. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#writing);
  }

  get clients(): Iterable<RelayClient> {
    return this.#clients.keys();
  }

  attach(client: RelayClient): void {
    this.#clients.set(client, { since: this.#kept.now, isTold: false, announced: undefined });
  }

  /** The host is gone: its calls go on, whatever else it asked for is given up. */
  detach(client: RelayClient): void {
    if (!this.#clients.delete(client)) return;
    for (const [id, open] of this.#open) if (open.client === client) this.#leave(id, open);
    for (const question of this.#questions.values()) if (question.client === client) question.client = undefined;
    for (const kept of this.#kept.ofClient(client)) {
      kept.client = undefined;
      if (kept.answer !== undefined) this.#write(kept);
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
    if (word.word === 'cancel') this.#cancel(word.callId);
    if (word.word === 'join') this.#join(client, word);
    if (word.word === 'end') this.#endFor(client, word.callId);
  }

  /** `callId` when it came on the connection of this call, and of no other. */
  fromServer(line: string, callId?: string): void {
    const message = parseMessage(line);
    if (!message) return;
    const { id, method } = message;
    if (method === undefined) this.#answer(message, line);
    else if (id !== undefined) this.#ask(id, message, callId);
    else this.#tell(message, line, callId);
  }

  /** The answer to this request cannot come any more. */
  failed(id: string | number, failure: RequestFailure): void {
    const open = this.#take(id);
    if (!open) return;
    const { client, callId = '' } = open;
    const kept = this.#kept.get(callId);
    client?.word({ word: 'refused', id: Number(open.id), failure });
    this.#forgetQuestions(callId);
    if (kept && kept.id === id) this.#judge(kept, judgeFailure(failure, id));
    this.#options.onChange();
  }

  /** The answer with this id cannot be taken, or what nobody waits for. */
  oversized(id: number | undefined, answer: OversizedAnswer): void {
    const { bytes } = answer;
    if (id === undefined) {
      for (const client of this.#clients.keys()) client.word({ word: 'oversized', bytes });
      return;
    }
    const open = this.#take(id);
    const kept = open?.callId === undefined ? undefined : this.#kept.get(open.callId);
    if (typeof open?.id === 'number') open.client?.word({ word: 'oversized', id: open.id, bytes });
    if (!kept || open?.client) return;
    const { code, message } = tooLargeError(answer);
    const error = { code, message };
    kept.answer = toLine({ id, error });
    this.#write(kept);
  }

  #request(client: RelayClient, message: Message, line: string): void {
    const { id = 0, method } = message;
    if (method === INITIALIZE || method === 'server/discover') {
      const { line: known, goesOn } = this.#handshake.take(message, client);
      if (known !== undefined) client.message(known);
      if (!goesOn) return;
      if (method === INITIALIZE) {
        this.#helloId = this.#open.has(id) ? this.#nextId() : id;
        this.#options.toServer(toLine({ ...message, id: this.#helloId }));
        return;
      }
    }
    this.#forward(client, message, line);
  }

  #forward(client: RelayClient, message: Message, line: string): void {
    const { id = 0 } = message;
    const isTaken = this.#open.has(id) || id === this.#helloId;
    const sentId = isTaken ? this.#nextId() : id;
    const own = readProgressToken(message);
    const sent = own !== undefined && this.#tokens.has(own) ? `${own}#${sentId}` : own;
    const token = own === undefined || sent === undefined ? undefined : { own, sent };
    const call = this.#announcedFor(client, id);
    const open: Open = { client, id, token, callId: call?.callId, isCall: message.method === 'tools/call' };
    this.#open.set(sentId, open);
    if (token) this.#tokens.set(token.sent, open);
    if (call) this.#kept.add({ call, id: Number(sentId), client });
    const isChanged = isTaken || sent !== own;
    const dressed = sent !== own ? withProgressToken(message, String(sent)) : message;
    this.#options.toServer(isChanged ? toLine({ ...dressed, id: sentId }) : line, call);
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
    if (method !== 'notifications/cancelled') {
      this.#options.toServer(line);
      return;
    }
    const { requestId } = params;
    for (const [sentId, open] of this.#open) {
      if (open.client !== client || open.id !== requestId) continue;
      open.isGivenUp = true;
      this.#options.toServer(
        sentId === requestId ? line : toLine({ ...message, params: { ...params, requestId: sentId } }),
      );
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
    const open = this.#take(id);
    if (!open) return;
    const own = open.id === id ? line : toLine({ ...message, id: open.id });
    const kept = open.callId === undefined ? undefined : this.#kept.get(open.callId);
    // A later request of the same call has taken its place, or nobody needs it any more.
    if (kept && kept.id === id) kept.answer = line;
    if (open.client) open.client.message(own);
    else if (kept && kept.id === id) this.#write(kept);
  }

  #take(id: string | number): Open | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open?.token) this.#tokens.delete(open.token.sent);
    return open;
  }

  #tell(message: Message, line: string, callId?: string): void {
    const { method, params = {} } = message;
    if (method === 'notifications/cancelled') {
      this.#withdraw(params.requestId, line);
      return;
    }
    const token = method === 'notifications/progress' ? readProgressToken(message) : undefined;
    const open = token === undefined ? undefined : this.#tokens.get(token);
    if (open?.callId !== undefined || !open) this.#kept.log(line);
    if (open) this.#tellProgress(open, message, line);
    else if (callId !== undefined) this.#tellOf(callId, line);
    else for (const client of this.#clients.keys()) client.message(line);
  }

  #tellOf(callId: string, line: string): void {
    const client = this.#kept.get(callId)?.client;
    client?.word({ word: 'tells', callId });
    client?.message(line);
  }

  #tellProgress({ client, token }: Open, message: Message, line: string): void {
    if (!client || !token) return;
    const isOwn = token.own === token.sent;
    client.message(isOwn ? line : toLine({ ...message, params: { ...message.params, progressToken: token.own } }));
  }

  #ask(id: string | number, message: Message, callId?: string): void {
    const { method } = message;
    const { size } = this.#questions;
    const isPing = method === 'ping';
    const error = { code: RPC_CODES.INTERNAL_ERROR, message: `${size} questions are open; ask later` };
    if (isPing || size >= HOST_MAX_OPEN_QUESTIONS * Math.max(1, this.#clients.size)) {
      this.#options.answerServer(toLine({ id, ...(isPing ? { result: {} } : { error }) }));
      return;
    }
    const asking = this.#findAsking(callId);
    const [first] = this.#clients.keys();
    const client = asking ? asking.client : first;
    const isNamed = callId !== undefined;
    const question = { line: toLine(message), client, callId: asking?.callId, isNamed };
    this.#questions.set(id, question);
    if (client) this.#put(client, id, question);
  }

  #put(client: RelayClient, id: string | number, { line, callId, isNamed }: Question): void {
    if (isNamed && callId !== undefined) client.word({ word: 'asks', id, callId });
    client.message(line);
  }

  #forgetQuestions(callId: string): void {
    for (const [id, question] of this.#questions) {
      if (question.isNamed && question.callId === callId) this.#questions.delete(id);
    }
  }

  /** The call that the server works at: the last one it was given, of a host that is there if there is one. */
  #findAsking(named?: string): Open | undefined {
    const isIt = ({ callId }: Open) => callId !== undefined && (named ?? callId) === callId;
    const calls = [...this.#open.values()].filter(isIt).reverse();
    return calls.find(({ client }) => client !== undefined) ?? calls[0];
  }

  #withdraw(requestId: unknown, line: string): void {
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const question = this.#questions.get(requestId);
    this.#questions.delete(requestId);
    question?.client?.message(line);
  }

  #answerServer(client: RelayClient, { id }: Message, line: string): void {
    if (id === undefined || this.#questions.get(id)?.client !== client) return;
    this.#questions.delete(id);
    this.#options.answerServer(line);
  }

  #leave(sentId: string | number, open: Open): void {
    open.client = undefined;
    if (open.callId === undefined) this.#giveUp(sentId);
  }

  #giveUp(requestId: string | number): void {
    const open = this.#open.get(requestId);
    if (open) open.isGivenUp = true;
    const params = { requestId, reason: 'not needed any more' };
    this.#options.toServer(toLine({ method: 'notifications/cancelled', params }));
  }

  /** Tries again what could not be written; false when there is nothing like that. */
  writeAgain(): boolean {
    const failed = this.#kept.failed();
    for (const kept of failed) this.#write(kept);
    return failed.length > 0;
  }

  /** Calls that are not at an end, or whose answers nobody could write down. */
  get unfinished(): readonly string[] {
    return [...this.#kept.callIds, ...this.#kept.lostIds];
  }

  #cancel(callId: string): void {
    for (const [sentId, open] of this.#open) if (open.callId === callId) this.#giveUp(sentId);
  }

  /** A server that works at nothing else can be ended for a call that it does not stop. */
  #endFor(client: RelayClient, callId: string): void {
    const isOther = (open: Open) => open.isCall && open.callId !== callId && !open.isGivenUp;
    const isHeld = this.#kept.callIds.some((kept) => kept !== callId);
    if (isHeld || [...this.#open.values()].some(isOther)) client.word({ word: 'busy', callId });
    else this.#options.endServer();
  }

  #done(callId: string): void {
    this.#kept.remove(callId);
    this.#options.onChange();
  }

  #join(client: RelayClient, { callId, wantsAnswer }: HostWord & { word: 'join' }): void {
    const kept = this.#kept.get(callId);
    const again = () => this.#clients.has(client) && this.#join(client, { word: 'join', callId, wantsAnswer });
    if (!kept) client.word({ word: this.#kept.wasWritten(callId) ? 'written' : 'unknown', callId });
    // What is just being written is either on disk then, or still here.
    else if (kept.writing) void kept.writing.then(again);
    else this.#give(client, kept, wantsAnswer);
  }

  #give(client: RelayClient, kept: Kept<RelayClient>, wantsAnswer: boolean): void {
    const { callId } = kept.call;
    const attached = this.#clients.get(client);
    if (!attached) return;
    const { lines, isWhole } = this.#kept.told(attached.since);
    kept.client = client;
    client.word({ word: 'kept', callId, id: kept.id, isWhole });
    const open = this.#open.get(kept.id);
    if (open) Object.assign(open, { client, id: kept.id });
    if (!attached.isTold) for (const line of lines) client.message(line);
    attached.isTold = true;
    for (const [id, question] of this.#questions) {
      if (question.client || (question.callId !== undefined && question.callId !== callId)) continue;
      question.client = client;
      this.#put(client, id, question);
    }
    if (wantsAnswer && kept.answer !== undefined) client.message(kept.answer);
  }

  #write(kept: Kept<RelayClient>): void {
    const { call, id, answer: line = '' } = kept;
    const { lines: told } = this.#kept.told(this.#kept.now);
    const writing = this.#options.write(call, { id, line, told }).then((written) => {
      this.#writing.delete(writing);
      delete kept.writing;
      kept.hasFailed = written === 'failed';
      if (written === 'outcome') this.#kept.remove(call.callId);
      this.#options.onChange();
    });
    kept.writing = writing;
    this.#writing.add(writing);
  }

  #judge(kept: Kept<RelayClient>, judged: ReturnType<typeof judgeFailure>): void {
    const { callId } = kept.call;
    if (judged === 'unsent') this.#kept.forget(callId);
    else if (judged === 'lost') this.#kept.lose(callId);
    else {
      kept.answer = toLine({ id: kept.id, ...judged });
      if (!kept.client) this.#write(kept);
    }
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
