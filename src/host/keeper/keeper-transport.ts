/** The MCP transport of a host whose server is held by a keeper. */
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { TaskError } from '../../errors.ts';
import { sendFor } from '../servers/asking-call.ts';
import { AnswerBuffer, type AnswerBufferOptions } from '../transports/answer-buffer.ts';
import type { EndedServer, Joined, KeeperLink, KeptCall } from '../transports/keeping-transport.ts';
import { OpenAnswers } from '../transports/open-answers.ts';
import { relayStderr, toStderrMode } from '../transports/relay-stderr.ts';
import { type OversizedAnswer, tooLargeError, toTooLargeReply } from '../transports/too-large.ts';
import { type HostWord, type KeeperWord, readFrames, toMessageFrame, toWordFrame } from './frames.ts';
import { neverHad } from './keeper-end.ts';
import type { KeeperLine } from './start-keeper.ts';

export interface KeeperTransportOptions extends AnswerBufferOptions {
  readonly stderr: 'inherit' | 'ignore';
  /** How long the keeper may take to let the host in, in milliseconds. */
  readonly connectMs: number;
  /** Called when the keeper has let the host in: the server runs. */
  onRuns(mark: string, pid: number): void;
  /** Called when the server has ended, and every process it started. */
  onEnded(mark: string): void;
}

// More than a server may take to end.
const CLOSE_MS = 15_000;
/** The error code when a keeper that was just ending refused the connection. */
export const SHUT_OUT = 'CONNECTION_CLOSED';
// A frame is a message with a letter before it.
const ROOM_BYTES = 1024;

export class KeeperTransport implements KeeperLink {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  onrefused?: NonNullable<KeeperLink['onrefused']>;
  onagain?: NonNullable<KeeperLink['onagain']>;
  readonly #line: KeeperLine;
  readonly #options: KeeperTransportOptions;
  readonly #buffer: AnswerBuffer;
  readonly #answers = new OpenAnswers();
  /** The call that each pending question of the server is for, where known. */
  readonly #asking = new Map<string | number, string>();
  readonly #joins = new Map<string, (joined: Joined) => void>();
  readonly #ends = new Map<string, (ended: EndedServer) => void>();
  readonly #closed: Promise<void>;
  #stderr: PassThrough | undefined;
  #keeper: string | undefined;
  #mark: string | undefined;
  #isOver = false;
  /** The call that the next message belongs to, where known. */
  #telling: string | undefined;
  /** The call that the next message is replayed for. */
  #again: string | undefined;
  #starting: Promise<void> | undefined;
  #greeted: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(line: KeeperLine, options: KeeperTransportOptions) {
    this.#line = line;
    this.#options = options;
    this.#buffer = new AnswerBuffer(options);
    const { socket } = line;
    const read = readFrames<KeeperWord>(options.maxAnswerBytes + ROOM_BYTES, {
      onMessage: (text) => this.#take(text),
      onWord: (word) => this.#hear(word),
      onStderr: (text) => this.#show(text),
    });
    socket.on('data', read);
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#end();
        resolve();
      });
    });
  }

  get keeper(): string | undefined {
    return this.#keeper;
  }

  /** Resolves when the keeper has let the host in; a second call returns the same promise. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const welcomed = new Promise<void>((resolve, reject) => {
      this.#greeted = { resolve, reject };
    });
    this.#say({ word: 'hello', token: this.#line.token });
    const { connectMs } = this.#options;
    const late = setTimeout(() => this.#greeted?.reject(lateError(connectMs)), connectMs);
    await welcomed.finally(() => clearTimeout(late));
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions & { readonly kept?: KeptCall }): Promise<void> {
    const { kept } = options ?? {};
    if (kept && 'id' in message) this.#say({ word: 'keep', id: Number(message.id), call: kept });
    const send = () => this.#write(toMessageFrame(JSON.stringify(message)));
    // Our own requests are not counted: each has a caller that waits for it.
    return 'method' in message ? send() : this.#answers.send(send);
  }

  join(callId: string, wantsAnswer: boolean, onJoined: (joined: Joined) => void): void {
    if (this.#line.socket.destroyed) {
      onJoined({ word: 'lost', callId });
      return;
    }
    this.#joins.set(callId, onJoined);
    this.#say({ word: 'join', callId, wantsAnswer });
  }

  cancelKept(callId: string): void {
    this.#say({ word: 'cancel', callId });
  }

  neverHad(keeper: string, callId: string): Promise<boolean> {
    return neverHad(this.#line.directory, keeper, callId);
  }

  done(callId: string): void {
    this.#say({ word: 'done', callId });
  }

  async endServer(callId: string): Promise<EndedServer> {
    if (this.#isOver || this.#line.socket.destroyed) return 'none';
    const busy = new Promise<EndedServer>((resolve) => {
      this.#ends.set(callId, resolve);
    });
    this.#say({ word: 'end', callId });
    const ended = this.#closed.then((): EndedServer => 'ended');
    return Promise.race([busy, ended]).finally(() => this.#ends.delete(callId));
  }

  /** Releases the server; it ends when no other host uses it and no call is open. */
  async close(): Promise<void> {
    const { socket } = this.#line;
    if (!socket.destroyed) this.#say({ word: 'bye' });
    // A keeper that never answered the handshake will not answer `bye`.
    const late = setTimeout(() => socket.destroy(), this.#keeper === undefined ? 0 : CLOSE_MS);
    await this.#closed;
    clearTimeout(late);
  }

  #say(word: HostWord): void {
    if (this.#line.socket.writable) this.#line.socket.write(toWordFrame(word));
  }

  #write(frame: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#line.socket.write(frame, (error) => (error ? reject(error) : resolve()));
    });
  }

  #hear(word: KeeperWord): void {
    switch (word.word) {
      case 'welcome':
        this.#welcome(word);
        break;
      case 'oversized':
        this.#replace(word);
        break;
      case 'refused':
        this.onrefused?.(word.id, word.failure);
        break;
      case 'asks':
        this.#asking.set(word.id, word.callId);
        break;
      case 'tells':
        this.#telling = word.callId;
        break;
      case 'again':
        this.#again = word.callId;
        break;
      case 'busy':
        this.#ends.get(word.callId)?.('busy');
        break;
      case 'endless':
        this.onerror?.(this.#toTooLarge({ bytes: word.bytes, isWhole: false }));
        break;
      case 'ended':
        if (this.#mark !== undefined) this.#options.onEnded(this.#mark);
        break;
      case 'exited':
        this.#end();
        break;
      case 'stays':
        break;
      case 'kept':
      case 'unknown':
      case 'written':
      case 'lost':
        this.#tellJoined(word);
    }
  }

  #toTooLarge(answer: Omit<OversizedAnswer, 'maxBytes'>): TaskError {
    return tooLargeError({ ...answer, maxBytes: this.#options.maxAnswerBytes });
  }

  #replace({ id, bytes }: KeeperWord & { word: 'oversized' }): void {
    const { maxAnswerBytes: maxBytes, report } = this.#options;
    if (id === undefined) report(this.#toTooLarge({ bytes }));
    else this.#emit(toTooLargeReply(id, { bytes, maxBytes }));
  }

  #welcome({ keeper, mark, pid }: KeeperWord & { word: 'welcome' }): void {
    this.#keeper = keeper;
    this.#mark = mark;
    this.#options.onRuns(mark, pid);
    this.#greeted?.resolve();
  }

  #tellJoined(word: Joined): void {
    const onJoined = this.#joins.get(word.callId);
    this.#joins.delete(word.callId);
    onJoined?.(word);
  }

  #take(text: string): void {
    // Applies to this message only, whether it can be parsed or not.
    const again = this.#again;
    this.#again = undefined;
    this.#buffer.append(Buffer.from(`${text}\n`));
    try {
      for (let message = this.#buffer.readMessage(); message; message = this.#buffer.readMessage()) {
        if (again === undefined) this.#emit(message);
        else this.onagain?.(again, message);
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #emit(message: JSONRPCMessage): void {
    const id = 'id' in message && 'method' in message ? message.id : undefined;
    const callId = id === undefined ? this.#telling : this.#asking.get(id);
    this.#telling = undefined;
    if (id !== undefined) this.#asking.delete(id);
    if (callId === undefined) this.onmessage?.(message);
    else sendFor(callId, () => this.onmessage?.(message));
  }

  #show(text: string): void {
    const mode = toStderrMode(this.#options.stderr);
    if (mode === 'inherit') process.stderr.write(text);
    if (mode !== 'pipe') return;
    if (!this.#stderr) {
      this.#stderr = new PassThrough();
      relayStderr(this.#stderr);
    }
    this.#stderr.write(text);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The processes that the server started are still being ended; that must not keep this process alive.
    this.#line.socket.unref();
    this.#stderr?.end();
    for (const [callId, onJoined] of this.#joins) onJoined({ word: 'lost', callId });
    this.#joins.clear();
    this.#greeted?.reject(Object.assign(new Error('the keeper of the server ended'), { code: SHUT_OUT }));
    this.onclose?.();
  }
}

function lateError(connectMs: number): Error {
  const message = `the keeper of the server did not answer within ${connectMs} ms`;
  return Object.assign(new Error(message), { code: 'REQUEST_TIMEOUT' });
}
