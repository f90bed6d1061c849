import type { EarlyListener, EarlyListenerOptions } from '../host-dialect.ts';
import type { Notification } from '../host-port.ts';
import { parseRunNews } from './run-notifications.ts';
import { StreamJoiner } from './stream-joiner.ts';

/** A run whose notifications arrive before its call is acknowledged. */
export class EarlyStream implements EarlyListener {
  readonly #options: EarlyListenerOptions;
  #rpcId: string | undefined;
  #joiner: StreamJoiner | undefined;

  constructor(options: EarlyListenerOptions) {
    this.#options = options;
  }

  /** Whether any notification about it has arrived. */
  get isTold(): boolean {
    return this.#joiner !== undefined;
  }

  sentAs(rpcId: string): void {
    this.close();
    this.#rpcId = rpcId;
  }

  hear(notification: Notification): void {
    if (this.#rpcId === undefined) return;
    const news = parseRunNews(notification);
    if (news?.rpcId !== this.#rpcId) return;
    this.#joiner ??= new StreamJoiner(this.#options);
    this.#joiner.hear(news);
  }

  /** Returns what was received, for the follower of the run; nothing more is received here from then on. */
  take(): StreamJoiner | undefined {
    const joiner = this.#joiner;
    this.#joiner = undefined;
    this.#rpcId = undefined;
    return joiner;
  }

  close(): void {
    this.take()?.close();
  }
}
