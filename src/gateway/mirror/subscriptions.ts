import type { RelayClient } from '../../index.ts';

/** A client of the older era, or all that listen in the newer one, whose server knows who they are. */
type Subscriber = RelayClient | 'listeners';

export interface SubscriptionsOptions {
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  report(error: unknown): void;
}

/** Who wants to hear of which resource. Upstream there is one subscription for all of them, for as long as anybody does. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #byUri = new Map<string, Set<Subscriber>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Everything that somebody wants to hear of. */
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

  /** A client is gone. */
  forget(client: RelayClient): void {
    for (const [uri, there] of this.#byUri) {
      if (there.has(client)) this.remove(client, uri).catch(this.#options.report);
    }
  }

  /** Who hears of a resource: in the newer era the server itself knows. */
  listensTo(uri: string): (client: RelayClient) => boolean {
    const there = this.#byUri.get(uri);
    return (client) => client.era === 'modern' || there?.has(client) === true;
  }
}
