import type { RelayAudience, RelayParams } from './relay.ts';

/** Something that clients are told without having asked just now. */
export interface NewsItem {
  readonly method: string;
  readonly params: RelayParams;
  /** Who hears it. @default everybody */
  readonly to?: RelayAudience | undefined;
}

/** Brings what a server tells of its own accord to all connections there are. */
export class News {
  readonly #listeners = new Set<(item: NewsItem) => void>();
  #isChangePending = false;

  listen(listener: (item: NewsItem) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(item: NewsItem): void {
    for (const listener of [...this.#listeners]) listener(item);
  }

  /** The tools have changed; several changes at once are told once. */
  toolsChanged(): void {
    if (this.#isChangePending || this.#listeners.size === 0) return;
    this.#isChangePending = true;
    queueMicrotask(() => {
      this.#isChangePending = false;
      this.tell({ method: 'notifications/tools/list_changed', params: {} });
    });
  }
}
