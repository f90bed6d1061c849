/** The connection of one host to a keeper: untrusted until the host has sent the token. */
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { type HostWord, type KeeperWord, readFrames, toMessageFrame, toWordFrame } from './frames.ts';
import type { KeeperOrder } from './keeper-order.ts';
import type { Relay } from './relay/relay.ts';
import type { RelayClient } from './relay/relay-client.ts';

export interface HostSocketOptions {
  readonly order: KeeperOrder;
  readonly relay: Relay;
  /** The pid of the server. */
  readonly pid: number;
  /** Whether new hosts are refused because the keeper ends. */
  isEnding(): boolean;
  /** Called when the host's socket buffer is full. */
  onBusy(): void;
  onFree(): void;
  /** Called when the host was let in. */
  onGreeted(): void;
  /** Called when the socket closes; `isOrderly` when the host said `bye`, or was never let in. */
  onClose(isOrderly: boolean): void;
}

const HELLO_MS = 5000;
const LAST_WORD_MS = 1000;
// A stopped host must not keep the server from the other hosts for ever; the next host takes over its calls.
const STUCK_MS = 60_000;
// Arguments may have any length up to this; a longer frame does not come from a host.
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

  /** Whether the host has connected but not sent its token yet. */
  get isKnocking(): boolean {
    return !this.#isWelcome && !this.#socket.destroyed;
  }

  /** Whether the host's socket buffer is full. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  message(line: string): void {
    this.send(toMessageFrame(line));
  }

  word(word: KeeperWord): void {
    this.send(toWordFrame(word));
  }

  /** Applies backpressure when the host does not read: a keeper does not buffer messages in memory. */
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

  /** Tells the host that the server has ended; resolves when that is flushed, or after `LAST_WORD_MS`. */
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

  /** The host leaves of its own accord; if it was the last one, it stays connected until the server has ended. */
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
