/** One host at the door of a keeper: a stranger until it has shown the token. */
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { type HostWord, type KeeperWord, readFrames, toMessageFrame, toWordFrame } from './frames.ts';
import type { KeeperOrder } from './keeper-order.ts';
import type { Relay } from './relay/relay.ts';
import type { RelayClient } from './relay/relay-client.ts';

export interface HostSocketOptions {
  readonly order: KeeperOrder;
  readonly relay: Relay;
  /** Of the server. */
  readonly pid: number;
  /** Nobody is let in any more. */
  isEnding(): boolean;
  /** The host takes no more for now. */
  onBusy(): void;
  onFree(): void;
  /** The host knows the server. */
  onGreeted(): void;
  /** `isOrderly` when it went by its own will. */
  onClose(isOrderly: boolean): void;
}

const HELLO_MS = 5000;
const LAST_WORD_MS = 1000;
// A host that is stopped must not keep the server from the others for ever; what it calls is taken up by the next one.
const STUCK_MS = 60_000;
// Arguments may be as long as they like; a frame that is longer than this is no frame of a host.
const MAX_FRAME_BYTES = 2 ** 29;

export class HostSocket implements RelayClient {
  readonly #socket: Socket;
  readonly #options: HostSocketOptions;
  readonly #late: NodeJS.Timeout;
  #stuck: NodeJS.Timeout | undefined;
  #isWelcome = false;
  #isBusy = false;
  #hasSaidBye = false;

  constructor(socket: Socket, options: HostSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    const late = setTimeout(() => socket.destroy(), HELLO_MS);
    const read = readFrames<HostWord>(MAX_FRAME_BYTES, {
      onMessage: (line) => {
        if (this.#isWelcome) options.relay.fromHost(this, line);
      },
      onWord: (word) => this.#hear(word),
    });
    socket.on('data', read);
    socket.on('drain', () => this.#free());
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(late);
      this.#free();
      options.relay.detach(this);
      options.onClose(this.#hasSaidBye || !this.#isWelcome);
    });
    this.#late = late;
  }

  /** It has come, and has not shown its token yet. */
  get isKnocking(): boolean {
    return !this.#isWelcome && !this.#socket.destroyed;
  }

  /** It does not take what it is given. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  message(line: string): void {
    this.send(toMessageFrame(line));
  }

  word(word: KeeperWord): void {
    this.send(toWordFrame(word));
  }

  /** What the host does not take at once is waited for: a keeper keeps no heap of messages. */
  send(frame: string): void {
    if (!this.#isWelcome || this.#socket.destroyed || this.#socket.write(frame) || this.#isBusy) return;
    this.#isBusy = true;
    this.#stuck = setTimeout(() => this.#socket.destroy(), STUCK_MS);
    this.#options.onBusy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The server is gone; resolves when the host knows. */
  async ended(): Promise<void> {
    if (this.#socket.destroyed) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, LAST_WORD_MS).unref();
      this.#socket.end(toWordFrame({ word: 'ended' }), resolve);
    });
  }

  #free(): void {
    if (!this.#isBusy) return;
    clearTimeout(this.#stuck);
    this.#isBusy = false;
    this.#options.onFree();
  }

  #hear(word: HostWord): void {
    if (word.word === 'hello') this.#greet(word.token);
    else if (!this.#isWelcome) this.#socket.destroy();
    else if (word.word === 'bye') this.#leave();
    else this.#options.relay.wordFromHost(this, word);
  }

  #greet(token: string): void {
    const { order, pid, relay, isEnding, onGreeted } = this.#options;
    if (this.#isWelcome || isEnding() || !isSame(token, order.token)) return void this.#socket.destroy();
    clearTimeout(this.#late);
    this.#isWelcome = true;
    relay.attach(this);
    this.word({ word: 'welcome', keeper: order.keeper, mark: order.mark, pid });
    onGreeted();
  }

  /** It goes by its own will; when it was the last one, the server's end is waited for. */
  #leave(): void {
    const { relay } = this.#options;
    this.#hasSaidBye = true;
    relay.detach(this);
    if (!relay.isIdle) this.#socket.end(toWordFrame({ word: 'stays' }));
  }
}

function isSame(given: unknown, token: string): boolean {
  if (typeof given !== 'string' || given.length !== token.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(token));
}
