import { ALL, Quota } from '../admission/quota.ts';
import { refuseBusy, refuseOverQuota } from '../admission/refusals.ts';
import type { HttpSettings } from '../http-options.ts';
import { LISTEN_METHOD } from '../sdk/listen-methods.ts';

/** A request that may open a subscription. */
export interface Subscriber {
  readonly principal: string;
}

const RETRY_MS = 10_000;

/** Counts open `subscriptions/listen` streams, in total and per principal. */
export class HttpSubscriptions {
  readonly #inAll: Quota;
  readonly #perPrincipal: Quota;
  readonly #open = new WeakSet<Subscriber>();

  constructor({ maxSubscriptions, perPrincipal }: Pick<HttpSettings, 'maxSubscriptions' | 'perPrincipal'>) {
    this.#inAll = new Quota(maxSubscriptions);
    this.#perPrincipal = new Quota(perPrincipal.subscriptions);
  }

  /** Counts a subscribing request; returns the refusal when there are too many. */
  begin(subscriber: Subscriber, body: unknown): Response | undefined {
    const { method, id } = (body ?? {}) as { method?: unknown; id?: string | number };
    if (method !== LISTEN_METHOD) return undefined;
    const shortage = { of: 'subscriptions', retryAfterMs: RETRY_MS, id };
    if (!this.#inAll.take(ALL)) return refuseBusy({ ...shortage, max: this.#inAll.max });
    if (!this.#perPrincipal.take(subscriber.principal)) {
      this.#inAll.release(ALL);
      return refuseOverQuota({ ...shortage, max: this.#perPrincipal.max });
    }
    this.#open.add(subscriber);
    return undefined;
  }

  end(subscriber: Subscriber): void {
    if (!this.#open.delete(subscriber)) return;
    this.#inAll.release(ALL);
    this.#perPrincipal.release(subscriber.principal);
  }
}
