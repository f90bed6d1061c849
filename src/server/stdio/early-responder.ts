/**
 * Answers a stdio client's handshake while the modules that serve it are being loaded.
 *
 * - open:        it reads stdin, and answers a plain `initialize` if that comes first, and each plain `server/discover`
 *                until another message comes. It leaves unusual messages alone.
 * - handed over: the stdio transport reads everything from the first byte on, answers the rest, and suppresses the
 *                answers that were given here.
 *
 * It is loaded before the first answer, so it imports next to nothing.
 */
import { MAX_EARLY_BYTES } from '../../limits.ts';
import { watchStdioClient } from '../../process/stdio-client.ts';
import type { ServerSettings } from '../server-options.ts';
import { type EarlyHandshake, readHandshake } from './early-handshake.ts';
import { encodeMessage, MessageReader } from './message-reader.ts';
import { guardStdout } from './stdout-guard.ts';

export interface EarlyResponderOptions {
  readonly settings: ServerSettings;
  /** Whether the capabilities are known without asking the SDK. */
  readonly canAnswer: boolean;
}

/** What arrived before the server was ready. */
export interface EarlyInput {
  readonly bytes: Buffer;
  /** Whether the client that sent it has died since. */
  isClientGone(): boolean;
  /** Inspects every incoming message: an id that occurs a second time belongs to another request. */
  observe(message: object): void;
  /** Whether this answer was already sent by the early responder; call it once for each answer. */
  isRepeated(message: object): boolean;
}

/** Startup goes on even if the client stays silent: abandoned tasks may be waiting to be run. */
const SILENCE_MS = 1000;

export class EarlyResponder {
  /** Resolves when the first message has arrived and, if it is answered here, been answered; or when none arrives. */
  readonly begun: Promise<void>;
  readonly #options: EarlyResponderOptions;
  readonly #isClientGone = watchStdioClient();
  readonly #stdout = guardStdout();
  readonly #chunks: Buffer[] = [];
  readonly #answered = new Set<string | number>();
  readonly #reader: MessageReader;
  #bytes = 0;
  #messages = 0;
  #begin: () => void = () => {};
  #isOpen: boolean;

  constructor(options: EarlyResponderOptions) {
    this.#options = options;
    this.#isOpen = options.canAnswer;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#reader = new MessageReader({
      maxBytes: MAX_EARLY_BYTES,
      onMessage: (message) => this.#handle(message),
      onOversized: () => this.#stopAnswering(),
      onFault: () => this.#stopAnswering(),
    });
    const { stdin } = process;
    stdin.on('data', this.#onData);
    stdin.once('end', this.#begin);
    stdin.once('error', this.#begin);
    const silence = setTimeout(this.#begin, SILENCE_MS);
    void this.begun.then(() => clearTimeout(silence));
  }

  /** Stops reading stdin. */
  handOver(): EarlyInput {
    const { stdin } = process;
    stdin.off('data', this.#onData);
    stdin.off('end', this.#begin);
    stdin.off('error', this.#begin);
    stdin.pause();
    this.#isOpen = false;
    return {
      bytes: Buffer.concat(this.#chunks),
      isClientGone: this.#isClientGone,
      ...trackAnswered(this.#answered),
    };
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    // A client that sends much before it is answered must wait until the server reads it.
    if (this.#bytes > MAX_EARLY_BYTES) process.stdin.pause();
    if (this.#isOpen) this.#reader.push(bytes);
    else this.#begin();
  };

  #handle(bytes: Buffer): void {
    if (!this.#isOpen) return;
    const handshake = readHandshake(bytes, this.#options.settings);
    const isFirst = this.#messages === 0;
    this.#messages += 1;
    // After a probe, the answer to `initialize` depends on the client.
    const isOurs = handshake && (handshake.era === 'modern' || isFirst) && !this.#answered.has(handshake.id);
    if (isOurs) this.#answer(handshake);
    else this.#stopAnswering();
  }

  #answer({ id, era, result }: EarlyHandshake): void {
    this.#isOpen = era === 'modern';
    this.#answered.add(id);
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    this.#stdout.write(encodeMessage(text, this.#reader.form), this.#begin);
  }

  #stopAnswering(): void {
    this.#isOpen = false;
    this.#begin();
  }
}

function trackAnswered(answered: Set<unknown>): Pick<EarlyInput, 'observe' | 'isRepeated'> {
  const seen = new Set<unknown>();
  return {
    observe(message) {
      if (answered.size === 0 || !('id' in message) || !('method' in message)) return;
      if (seen.has(message.id)) answered.delete(message.id);
      seen.add(message.id);
    },
    isRepeated: (message) => 'id' in message && !('method' in message) && answered.delete(message.id),
  };
}
