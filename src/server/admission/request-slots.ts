/**
 * Slots for requests that are being answered: each request holds one from arrival until its answer has been sent, and
 * the bytes of the answer are counted while they wait to be read.
 */

import type { AnswerFate } from '../../dialects/server-port.ts';
import { UNREAD_BYTES } from '../../limits.ts';
import type { HttpSettings } from '../http-options.ts';
import { ALL, Quota } from './quota.ts';
import { refuseBusy, refuseOverQuota } from './refusals.ts';
import type { Stopping } from './stopping.ts';

/** What the code that answers a request sees of its slot. */
export interface AnswerSlot extends Pick<RequestSlot, 'hold' | 'release' | 'free'> {
  /** Reports whether the answer about to be written arrives; absent where that cannot be known. */
  readonly fate?: () => Promise<AnswerFate>;
  /** Notifies when the listener that received the request stops serving. */
  readonly stopping?: Pick<Stopping, 'onStop'>;
}

export interface RequestSlot {
  /** Assigns the request to its principal; returns the refusal when that principal has too many. */
  claim(principal: string): Response | undefined;
  /** Counts bytes that wait to be read; returns false, and counts nothing, when that exceeds the limit. */
  hold(bytes: number): boolean;
  /** Uncounts bytes that were read. */
  release(bytes: number): void;
  /** Frees the slot: the answer has been sent, or never will be. */
  free(): void;
}

const RETRY_MS = 1000;
const SHORTAGE = { of: 'open requests', retryAfterMs: RETRY_MS };

export class RequestSlots {
  readonly #inAll: Quota;
  readonly #perPrincipal: Quota;
  readonly #unread = { inAll: new Quota(UNREAD_BYTES.inAll), own: new Quota(UNREAD_BYTES.perPrincipal) };

  constructor({ maxRequests, perPrincipal }: Pick<HttpSettings, 'maxRequests' | 'perPrincipal'>) {
    this.#inAll = new Quota(maxRequests);
    this.#perPrincipal = new Quota(perPrincipal.requests);
  }

  /** Returns a slot, or the refusal when none is free. */
  take(): RequestSlot | Response {
    if (!this.#inAll.take(ALL)) return refuseBusy({ ...SHORTAGE, max: this.#inAll.max });
    let isTaken = true;
    let owner: string | undefined;
    let unread = 0;
    const release = (bytes: number) => {
      const read = Math.min(bytes, unread);
      unread -= read;
      this.#unread.inAll.release(ALL, read);
      this.#unread.own.release(owner ?? ALL, read);
    };
    return {
      claim: (principal) => {
        if (!this.#perPrincipal.take(principal)) return refuseOverQuota({ ...SHORTAGE, max: this.#perPrincipal.max });
        owner = principal;
        return undefined;
      },
      hold: (bytes) => {
        if (!isTaken || !this.#holds(owner ?? ALL, bytes)) return false;
        unread += bytes;
        return true;
      },
      release,
      free: () => {
        if (!isTaken) return;
        isTaken = false;
        release(unread);
        this.#inAll.release(ALL);
        if (owner !== undefined) this.#perPrincipal.release(owner);
      },
    };
  }

  #holds(principal: string, bytes: number): boolean {
    if (!this.#unread.inAll.take(ALL, bytes)) return false;
    if (this.#unread.own.take(principal, bytes)) return true;
    this.#unread.inAll.release(ALL, bytes);
    return false;
  }
}
