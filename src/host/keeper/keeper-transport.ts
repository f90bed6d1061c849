/** The MCP transport of a host whose server is held by a keeper. */
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { TaskError } from '../../errors.ts';
import { sendInCallContext } from '../servers/call-context.ts';
import { AnswerBuffer, type AnswerBufferOptions } from '../transports/answer-buffer.ts';
import type { EndedServer, Joined, KeeperLink, KeptCall } from '../transports/keeping-transport.ts';
import { OpenAnswers } from '../transports/open-answers.ts';
import { relayStderr, toStderrMode } from '../transports/relay-stderr.ts';
import { type OversizedAnswer, tooLargeError, toTooLargeReply } from '../transports/too-large.ts';
import { type HostControl, type KeeperControl, readFrames, toControlFrame, toMessageFrame } from './frames.ts';
import { neverReceived } from './keeper-end.ts';
import type { KeeperConnection } from './start-keeper.ts';

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
export const KEEPER_ENDED_CODE = 'CONNECTION_CLOSED';
// A frame is a message with a letter before it.
const ROOM_BYTES = 1024;

export class KeeperTransport implements KeeperLink {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  onrefused?: NonNullable<KeeperLink['onrefused']>;
  onagain?: NonNullable<KeeperLink['onagain']>;
  readonly #line: KeeperConnection;
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
  #nextCallId: string | undefined;
  /** The call that the next message is replayed for. */
  #replayCallId: string | undefined;
  #starting: Promise<void> | undefined;
  #handshake: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(line: KeeperConnection, options: KeeperTransportOptions) {
    this.#line = line;
    this.#options = options;
    this.#buffer = new AnswerBuffer(options);
    const { socket } = line;
    const read = readFrames<KeeperControl>(options.maxAnswerBytes + ROOM_BYTES, {
      onMessage: (text) => this.#handleMessage(text),
      onControl: (control) => this.#handleControl(control),
      onStderr: (text) => this.#forwardStderr(text),
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
      this.#handshake = { resolve, reject };
    });
    this.#sendControl({ word: 'hello', token: this.#line.token });
    const { connectMs } = this.#options;
    const timeout = setTimeout(() => this.#handshake?.reject(timeoutError(connectMs)), connectMs);
    await welcomed.finally(() => clearTimeout(timeout));
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions & { readonly kept?: KeptCall }): Promise<void> {
    const { kept } = options ?? {};
    if (kept && 'id' in message) this.#sendControl({ word: 'keep', id: Number(message.id), call: kept });
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
    this.#sendControl({ word: 'join', callId, wantsAnswer });
  }

  cancelKept(callId: string): void {
    this.#sendControl({ word: 'cancel', callId });
  }

  neverReceived(keeper: string, callId: string): Promise<boolean> {
    return neverReceived(this.#line.directory, keeper, callId);
  }

  done(callId: string): void {
    this.#sendControl({ word: 'done', callId });
  }

  async endServer(callId: string): Promise<EndedServer> {
    if (this.#isOver || this.#line.socket.destroyed) return 'none';
    const busy = new Promise<EndedServer>((resolve) => {
      this.#ends.set(callId, resolve);
    });
    this.#sendControl({ word: 'end', callId });
    const ended = this.#closed.then((): EndedServer => 'ended');
    return Promise.race([busy, ended]).finally(() => this.#ends.delete(callId));
  }

  /** Releases the server; it ends when no other host uses it and no call is open. */
  async close(): Promise<void> {
    const { socket } = this.#line;
    if (!socket.destroyed) this.#sendControl({ word: 'bye' });
    // A keeper that never answered the handshake will not answer `bye`.
    const timeout = setTimeout(() => socket.destroy(), this.#keeper === undefined ? 0 : CLOSE_MS);
    await this.#closed;
    clearTimeout(timeout);
  }

  #sendControl(control: HostControl): void {
    if (this.#line.socket.writable) this.#line.socket.write(toControlFrame(control));
  }

  #write(frame: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#line.socket.write(frame, (error) => (error ? reject(error) : resolve()));
    });
  }

  #handleControl(control: KeeperControl): void {
    switch (control.word) {
      case 'welcome':
        this.#handleWelcome(control);
        break;
      case 'oversized':
        this.#handleOversized(control);
        break;
      case 'refused':
        this.onrefused?.(control.id, control.failure);
        break;
      case 'asks':
        this.#asking.set(control.id, control.callId);
        break;
      case 'tells':
        this.#nextCallId = control.callId;
        break;
      case 'again':
        this.#replayCallId = control.callId;
        break;
      case 'busy':
        this.#ends.get(control.callId)?.('busy');
        break;
      case 'endless':
        this.onerror?.(this.#toTooLarge({ bytes: control.bytes, isWhole: false }));
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
        this.#resolveJoin(control);
    }
  }

  #toTooLarge(answer: Omit<OversizedAnswer, 'maxBytes'>): TaskError {
    return tooLargeError({ ...answer, maxBytes: this.#options.maxAnswerBytes });
  }

  #handleOversized({ id, bytes }: KeeperControl & { word: 'oversized' }): void {
    const { maxAnswerBytes: maxBytes, report } = this.#options;
    if (id === undefined) report(this.#toTooLarge({ bytes }));
    else this.#emit(toTooLargeReply(id, { bytes, maxBytes }));
  }

  #handleWelcome({ keeper, mark, pid }: KeeperControl & { word: 'welcome' }): void {
    this.#keeper = keeper;
    this.#mark = mark;
    this.#options.onRuns(mark, pid);
    this.#handshake?.resolve();
  }

  #resolveJoin(control: Joined): void {
    const onJoined = this.#joins.get(control.callId);
    this.#joins.delete(control.callId);
    onJoined?.(control);
  }

  #handleMessage(text: string): void {
    // Applies to this message only, whether it can be parsed or not.
    const again = this.#replayCallId;
    this.#replayCallId = undefined;
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
    const callId = id === undefined ? this.#nextCallId : this.#asking.get(id);
    this.#nextCallId = undefined;
    if (id !== undefined) this.#asking.delete(id);
    if (callId === undefined) this.onmessage?.(message);
    else sendInCallContext(callId, () => this.onmessage?.(message));
  }

  #forwardStderr(text: string): void {
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
    this.#handshake?.reject(Object.assign(new Error('the keeper of the server ended'), { code: KEEPER_ENDED_CODE }));
    this.onclose?.();
  }
}

function timeoutError(connectMs: number): Error {
  const message = `the keeper of the server did not answer within ${connectMs} ms`;
  return Object.assign(new Error(message), { code: 'REQUEST_TIMEOUT' });
}
