/**
 * The calls that a keeper holds: from when they are sent until their outcome is on disk.
 *
 * - sent:     the server has the call, and has not answered.
 * - answered: the response was sent to a host, which has not confirmed yet that it is on disk.
 * - writing:  no host is connected, and the keeper itself writes the response to the ledger.
 * - held:     a handle is on disk: the work goes on, and notifications report it.
 */
import { HOST_MAX_KEPT_CHARS } from '../../../limits.ts';
import type { KeptCall } from '../../transports/keeping-transport.ts';

export interface KeptCallState<Client> {
  readonly call: KeptCall;
  /** The request id under which the server knows the call. */
  readonly id: number;
  /** The host that follows the call; `undefined` when its host is gone. */
  client: Client | undefined;
  /** The response as it arrived. */
  answer?: string;
  /** Resolves when the keeper has written the response to the ledger. */
  writing?: Promise<void>;
  /** Whether that write failed. */
  hasFailed?: boolean;
}

/** One notification of the server. */
export interface LoggedNotification {
  readonly line: string;
  readonly number: number;
  /** The call that the notification is about, where known. */
  readonly callId: string | undefined;
}

// A keeper may run for months, so the number of remembered ids is limited.
const MAX_WRITTEN = 10_000;

export class KeptCalls<Client> {
  readonly #calls = new Map<string, KeptCallState<Client>>();
  readonly #written = new Set<string>();
  readonly #lost = new Set<string>();
  #hasDroppedIds = false;
  #log: LoggedNotification[] = [];
  #logChars = 0;
  #logged = 0;
  /** Whether entries were dropped because the log was full. */
  #isTruncated = false;

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
  get nextNumber(): number {
    return this.#logged;
  }

  add(kept: KeptCallState<Client>): void {
    this.#lost.delete(kept.call.callId);
    // Notifications from before there was any call are about none of them.
    if (this.#calls.size === 0) this.#clearLog();
    this.#calls.set(kept.call.callId, kept);
  }

  get(callId: string): KeptCallState<Client> | undefined {
    return this.#calls.get(callId);
  }

  /** Whether the call may have been held here. Once old ids were dropped, that is `true` for any call that is not held now. */
  wasWritten(callId: string): boolean {
    return this.#hasDroppedIds || this.#written.has(callId);
  }

  ofClient(client: Client): KeptCallState<Client>[] {
    return [...this.#calls.values()].filter((kept) => kept.client === client);
  }

  /** Returns the calls whose write failed and that no host has taken over since. */
  failed(): KeptCallState<Client>[] {
    return [...this.#calls.values()].filter(({ hasFailed, client, writing }) => hasFailed && !client && !writing);
  }

  /** Drops a call that never reached the server. */
  forget(callId: string): void {
    this.#calls.delete(callId);
  }

  /** Drops a call whose outcome can never be known. */
  markLost(callId: string): void {
    this.remove(callId);
    this.#lost.add(callId);
  }

  /** Drops a call whose outcome is on disk. */
  remove(callId: string): void {
    this.#lost.delete(callId);
    if (this.#calls.delete(callId)) this.#written.add(callId);
    const [oldest] = this.#written;
    if (oldest !== undefined && this.#written.size > MAX_WRITTEN) {
      this.#written.delete(oldest);
      this.#hasDroppedIds = true;
    }
    if (this.#calls.size === 0) this.#clearLog();
  }

  /** Logs notifications while there are calls, for hosts that take over a call later. */
  logNotification(line: string, callId: string | undefined): void {
    const number = this.#logged;
    this.#logged += 1;
    if (this.#calls.size === 0) return;
    this.#log.push({ line, number, callId });
    this.#logChars += line.length;
    while (this.#logChars > HOST_MAX_KEPT_CHARS) {
      this.#logChars -= this.#log.shift()?.line.length ?? 0;
      this.#isTruncated = true;
    }
  }

  /** Returns the logged notifications that may be about a call, and whether the log is complete. */
  notificationsOf(callId: string): {
    readonly notifications: readonly LoggedNotification[];
    readonly isWhole: boolean;
  } {
    const notifications = this.#log.filter((entry) => entry.callId === undefined || entry.callId === callId);
    return { notifications, isWhole: !this.#isTruncated };
  }

  #clearLog(): void {
    this.#log = [];
    this.#logChars = 0;
    this.#isTruncated = false;
  }
}
