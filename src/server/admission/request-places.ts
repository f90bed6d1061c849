/**
 * Requests that are being answered: each has a place from its first look until its answer has left, and the bytes of that
 * answer are counted while they wait to be read.
 */

import type { AnswerFate } from '../../dialects/server-port.ts';
import { UNREAD_BYTES } from '../../limits.ts';
import type { HttpSettings } from '../http-options.ts';
import { ALL, Quota } from './quota.ts';
import { refuseBusy, refuseGreedy } from './refusals.ts';
import type { Stopping } from './stopping.ts';

/** What answers a request. */
export interface AnswerPlace extends Pick<Place, 'hold' | 'release' | 'leave'> {
  /** What becomes of the answer that is about to be written; absent where nobody can tell. */
  readonly fate?: () => Promise<AnswerFate>;
  /** Says when serving stops where the request came in. */
  readonly stopping?: Pick<Stopping, 'onStop'>;
}

export interface Place {
  /** Says whose request it is; the refusal when that one has too many. */
  claim(principal: string): Response | undefined;
  /** Counts bytes that wait to be read; false, and nothing is counted, when too many do already. */
  hold(bytes: number): boolean;
  /** So many of them were read. */
  release(bytes: number): void;
  /** The answer has left, or never will. */
  leave(): void;
}

const RETRY_MS = 1000;
const SHORTAGE = { of: 'open requests', retryAfterMs: RETRY_MS };

export class Places {
  readonly #inAll: Quota;
  readonly #perPrincipal: Quota;
  readonly #unread = { inAll: new Quota(UNREAD_BYTES.inAll), own: new Quota(UNREAD_BYTES.perPrincipal) };

  constructor({ maxRequests, perPrincipal }: Pick<HttpSettings, 'maxRequests' | 'perPrincipal'>) {
    this.#inAll = new Quota(maxRequests);
    this.#perPrincipal = new Quota(perPrincipal.requests);
  }

  /** A place, or the refusal when there is none. */
  take(): Place | Response {
    if (!this.#inAll.take(ALL)) return refuseBusy({ ...SHORTAGE, max: this.#inAll.max });
    let isTaken = true;
    let owner: string | undefined;
    let unread = 0;
    const release = (bytes: number) => {
      const read = Math.min(bytes, unread);
      unread -= read;
      this.#unread.inAll.give(ALL, read);
      this.#unread.own.give(owner ?? ALL, read);
    };
    return {
      claim: (principal) => {
        if (!this.#perPrincipal.take(principal)) return refuseGreedy({ ...SHORTAGE, max: this.#perPrincipal.max });
        owner = principal;
        return undefined;
      },
      hold: (bytes) => {
        if (!isTaken || !this.#holds(owner ?? ALL, bytes)) return false;
        unread += bytes;
        return true;
      },
      release,
      leave: () => {
        if (!isTaken) return;
        isTaken = false;
        release(unread);
        this.#inAll.give(ALL);
        if (owner !== undefined) this.#perPrincipal.give(owner);
      },
    };
  }

  #holds(principal: string, bytes: number): boolean {
    if (!this.#unread.inAll.take(ALL, bytes)) return false;
    if (this.#unread.own.take(principal, bytes)) return true;
    this.#unread.inAll.give(ALL, bytes);
    return false;
  }
}
