/** The connection of one host to a keeper: untrusted until the host has sent the token. */
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { type HostControl, type KeeperControl, readFrames, toControlFrame, toMessageFrame } from './frames.ts';
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
  onDrained(): void;
  /** Called when the host was let in. */
  onAuthenticated(): void;
  /** Called when the socket closes; `isOrderly` when the host said `bye`, or was never let in. */
  onClose(isOrderly: boolean): void;
}

const HELLO_TIMEOUT_MS = 5000;
const FLUSH_TIMEOUT_MS = 1000;
// A stopped host must not keep the server from the other hosts for ever; the next host takes over its calls.
const DRAIN_TIMEOUT_MS = 60_000;
// Arguments may have any length up to this; a longer frame does not come from a host.
const MAX_FRAME_BYTES = 2 ** 29;

export class HostSocket implements RelayClient {
  readonly #socket: Socket;
  readonly #options: HostSocketOptions;
  readonly #helloTimeout: NodeJS.Timeout;
  #drainTimeout: NodeJS.Timeout | undefined;
  #isAuthenticated = false;
  #isBusy = false;
  #hasSaidBye = false;

  constructor(socket: Socket, options: HostSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    const helloTimeout = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS);
    const read = readFrames<HostControl>(MAX_FRAME_BYTES, {
      onMessage: (line) => {
        if (this.#isAuthenticated) options.relay.fromHost(this, line);
      },
      onControl: (control) => this.#handleControl(control),
    });
    socket.on('data', read);
    socket.on('drain', () => this.#onDrained());
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(helloTimeout);
      this.#onDrained();
      options.relay.detach(this);
      options.onClose(this.#hasSaidBye || !this.#isAuthenticated);
    });
    this.#helloTimeout = helloTimeout;
  }

  /** Whether the host has connected but not sent its token yet. */
  get isAuthenticating(): boolean {
    return !this.#isAuthenticated && !this.#socket.destroyed;
  }

  /** Whether the host's socket buffer is full. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  sendMessage(line: string): void {
    this.send(toMessageFrame(line));
  }

  sendControl(control: KeeperControl): void {
    this.send(toControlFrame(control));
  }

  /** Applies backpressure when the host does not read: a keeper does not buffer messages in memory. */
  send(frame: string): void {
    if (!this.#isAuthenticated || this.#socket.destroyed || this.#socket.write(frame) || this.#isBusy) return;
    this.#isBusy = true;
    this.#drainTimeout = setTimeout(() => this.#socket.destroy(), DRAIN_TIMEOUT_MS);
    this.#options.onBusy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Tells the host that the server has ended; resolves when that is flushed, or after `FLUSH_TIMEOUT_MS`. */
  async endWithNotice(): Promise<void> {
    if (this.#socket.destroyed) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, FLUSH_TIMEOUT_MS).unref();
      this.#socket.end(toControlFrame({ word: 'ended' }), resolve);
    });
  }

  #onDrained(): void {
    if (!this.#isBusy) return;
    clearTimeout(this.#drainTimeout);
    this.#isBusy = false;
    this.#options.onDrained();
  }

  #handleControl(control: HostControl): void {
    if (control.word === 'hello') this.#authenticate(control.token);
    else if (!this.#isAuthenticated) this.#socket.destroy();
    else if (control.word === 'bye') this.#handleBye();
    else this.#options.relay.controlFromHost(this, control);
  }

  #authenticate(token: string): void {
    const { order, pid, relay, isEnding, onAuthenticated } = this.#options;
    if (this.#isAuthenticated || isEnding() || !isSame(token, order.token)) return void this.#socket.destroy();
    clearTimeout(this.#helloTimeout);
    this.#isAuthenticated = true;
    relay.attach(this);
    this.sendControl({ word: 'welcome', keeper: order.keeper, mark: order.mark, pid });
    onAuthenticated();
  }

  /** The host leaves of its own accord; if it was the last one, it stays connected until the server has ended. */
  #handleBye(): void {
    const { relay } = this.#options;
    this.#hasSaidBye = true;
    relay.detach(this);
    if (!relay.isIdle) this.#socket.end(toControlFrame({ word: 'stays' }));
  }
}

function isSame(given: unknown, token: string): boolean {
  if (typeof given !== 'string' || given.length !== token.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(token));
}
