/**
 * The calls that a keeper holds: from the moment they are sent until what became of them is on disk.
 *
 * - sent:     the server has it, and has not answered.
 * - answered: the answer has been given to a host, which has not said yet that it is on disk.
 * - writing:  no host is there, and the keeper itself writes down what the answer says.
 * - held:     what is on disk is a handle: the work goes on, and is told of by notifications.
 */
import { HOST_MAX_KEPT_CHARS } from '../../../limits.ts';
import type { KeptCall } from '../../transports/keeping-transport.ts';

export interface Kept<Client> {
  readonly call: KeptCall;
  /** Under which id the server knows it. */
  readonly id: number;
  /** Who follows it; nobody when its host is gone. */
  client: Client | undefined;
  /** The answer as it came. */
  answer?: string;
  /** Resolves when the keeper has written down what the answer says. */
  writing?: Promise<void>;
  /** It could not. */
  hasFailed?: boolean;
}

/** One notification of the server. */
export interface Told {
  readonly line: string;
  readonly number: number;
  /** The call that it is about, where that is known. */
  readonly callId: string | undefined;
}

// A keeper may serve for months.
const MAX_WRITTEN = 10_000;

export class KeptCalls<Client> {
  readonly #calls = new Map<string, Kept<Client>>();
  readonly #written = new Set<string>();
  readonly #lost = new Set<string>();
  #hasForgotten = false;
  #log: Told[] = [];
  #logChars = 0;
  #logged = 0;
  /** Some of it had to be let go. */
  #isCut = false;

  get size(): number {
    return this.#calls.size;
  }

  get callIds(): string[] {
    return [...this.#calls.keys()];
  }

  get lostIds(): string[] {
    return [...this.#lost];
  }

  /** The number of the next notification. */
  get now(): number {
    return this.#logged;
  }

  add(kept: Kept<Client>): void {
    this.#lost.delete(kept.call.callId);
    // What was told before there was any call is about none of them.
    if (this.#calls.size === 0) this.#forgetLog();
    this.#calls.set(kept.call.callId, kept);
  }

  get(callId: string): Kept<Client> | undefined {
    return this.#calls.get(callId);
  }

  /** Whether it may have been here. Of what was long ago nothing can be said. */
  wasWritten(callId: string): boolean {
    return this.#hasForgotten || this.#written.has(callId);
  }

  ofClient(client: Client): Kept<Client>[] {
    return [...this.#calls.values()].filter((kept) => kept.client === client);
  }

  /** Those whose answers could not be written, and that no host has taken up since. */
  failed(): Kept<Client>[] {
    return [...this.#calls.values()].filter(({ hasFailed, client, writing }) => hasFailed && !client && !writing);
  }

  /** It never came to the server. */
  forget(callId: string): void {
    this.#calls.delete(callId);
  }

  /** Nobody will ever know what became of it. */
  lose(callId: string): void {
    this.remove(callId);
    this.#lost.add(callId);
  }

  /** What became of it is on disk. */
  remove(callId: string): void {
    this.#lost.delete(callId);
    if (this.#calls.delete(callId)) this.#written.add(callId);
    const [oldest] = this.#written;
    if (oldest !== undefined && this.#written.size > MAX_WRITTEN) {
      this.#written.delete(oldest);
      this.#hasForgotten = true;
    }
    if (this.#calls.size === 0) this.#forgetLog();
  }

  /** Keeps what the server tells while there are calls: whoever takes one up must not miss what it was told. */
  log(line: string, callId: string | undefined): void {
    const number = this.#logged;
    this.#logged += 1;
    if (this.#calls.size === 0) return;
    this.#log.push({ line, number, callId });
    this.#logChars += line.length;
    while (this.#logChars > HOST_MAX_KEPT_CHARS) {
      this.#logChars -= this.#log.shift()?.line.length ?? 0;
      this.#isCut = true;
    }
  }

  /** What may have been told of a call, as far as it is kept. */
  told(callId: string): { readonly told: readonly Told[]; readonly isWhole: boolean } {
    const told = this.#log.filter((entry) => entry.callId === undefined || entry.callId === callId);
    return { told, isWhole: !this.#isCut };
  }

  #forgetLog(): void {
    this.#log = [];
    this.#logChars = 0;
    this.#isCut = false;
  }
}
