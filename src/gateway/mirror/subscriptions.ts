import type { RelayClient } from '../../index.ts';

/** A client of the legacy era, or all listening clients of the modern era, which the server itself tracks. */
type Subscriber = RelayClient | 'listeners';

export interface SubscriptionsOptions {
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  report(error: unknown): void;
}

/**
 * Which client is subscribed to which resource. There is one upstream subscription per resource, as long as any client has one.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #byUri = new Map<string, Set<Subscriber>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** All resources that have a subscriber. */
  get uris(): readonly string[] {
    return [...this.#byUri.keys()];
  }

  async add(subscriber: Subscriber, uri: string): Promise<void> {
    const there = this.#byUri.get(uri);
    if (there) {
      there.add(subscriber);
      return;
    }
    this.#byUri.set(uri, new Set([subscriber]));
    try {
      await this.#options.subscribe(uri);
    } catch (error) {
      this.#byUri.delete(uri);
      throw error;
    }
  }

  async remove(subscriber: Subscriber, uri: string): Promise<void> {
    const there = this.#byUri.get(uri);
    there?.delete(subscriber);
    if (there && there.size > 0) return;
    this.#byUri.delete(uri);
    await this.#options.unsubscribe(uri);
  }

  /** Removes the subscriptions of a client that disconnected. */
  forget(client: RelayClient): void {
    for (const [uri, there] of this.#byUri) {
      if (there.has(client)) this.remove(client, uri).catch(this.#options.report);
    }
  }

  /** Returns a filter for clients subscribed to a resource. Modern clients always pass: the server tracks their subscriptions. */
  toFilter(uri: string): (client: RelayClient) => boolean {
    const there = this.#byUri.get(uri);
    return (client) => client.era === 'modern' || there?.has(client) === true;
  }
}
