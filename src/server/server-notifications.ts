import type { RelayAudience, RelayParams } from './relay.ts';

/** A notification that the server sends on its own initiative. */
export interface ServerNotification {
  readonly method: string;
  readonly params: RelayParams;
  /** The clients that get it. @default everybody */
  readonly to?: RelayAudience | undefined;
}

/** Broadcasts the server's own notifications to all connections. */
export class ServerNotifications {
  readonly #listeners = new Set<(notification: ServerNotification) => void>();
  #isChangePending = false;

  subscribe(listener: (notification: ServerNotification) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  broadcast(notification: ServerNotification): void {
    for (const listener of [...this.#listeners]) listener(notification);
  }

  /** Notifies clients that the tools have changed; several changes at once are announced once. */
  toolsChanged(): void {
    if (this.#isChangePending || this.#listeners.size === 0) return;
    this.#isChangePending = true;
    queueMicrotask(() => {
      this.#isChangePending = false;
      this.broadcast({ method: 'notifications/tools/list_changed', params: {} });
    });
  }
}
