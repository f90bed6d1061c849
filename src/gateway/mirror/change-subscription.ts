import type { JsonObject, Reply } from '../../host/index.ts';

export interface ChangeSubscriptionOptions {
  /** Sends the `subscriptions/listen` request, which stays open. */
  listen(params: JsonObject, signal: AbortSignal): Promise<Reply>;
}

const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A request that stayed open for this time counts as a success, so the back-off starts from the beginning. */
const STEADY_MS = 5000;

/** Subscribes to changes of an upstream of 2026-07-28, which sends no notifications without a `subscriptions/listen` request. */
export class ChangeSubscription {
  readonly #options: ChangeSubscriptionOptions;
  readonly #uris = new Set<string>();
  #open: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delayMs = FIRST_DELAY_MS;

  constructor(options: ChangeSubscriptionOptions) {
    this.#options = options;
  }

  /** Keeps a request open from now on until closed. */
  start(): void {
    this.close();
    const open = new AbortController();
    this.#open = open;
    const resources = this.#uris.size > 0 ? { resourceSubscriptions: [...this.#uris] } : {};
    const since = performance.now();
    const onOver = () => {
      if (open.signal.aborted) return;
      this.#delayMs =
        performance.now() - since > STEADY_MS ? FIRST_DELAY_MS : Math.min(MAX_DELAY_MS, this.#delayMs * 2);
      this.#timer = setTimeout(() => this.start(), this.#delayMs);
      this.#timer.unref();
    };
    this.#options.listen({ notifications: { ...LISTS, ...resources } }, open.signal).then((reply) => {
      // A server that does not know the request will not learn it: no retry after an error response.
      if (reply.kind === 'result') onOver();
    }, onOver);
  }

  add(uri: string): void {
    this.#uris.add(uri);
    this.start();
  }

  remove(uri: string): void {
    if (this.#uris.delete(uri)) this.start();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open?.abort(new Error('not listened to any more'));
    this.#open = undefined;
  }
}
