import type { EarlyListener, EarlyListenerOptions } from '../../../dialects/host-dialect.ts';
import type { Notification } from '../../../dialects/host-port.ts';
import type { HostDialects } from '../../host-dialects.ts';

/**
 * Notifications about a call before its response shows which dialect it is in: progress of the request itself, and whatever the
 * dialects subscribe to.
 */
export class EarlyNotifications {
  readonly #callId: string;
  readonly #options: EarlyListenerOptions;
  readonly #listeners = new Map<string, EarlyListener>();
  #rpcId = '';

  constructor(callId: string, dialects: HostDialects, options: EarlyListenerOptions) {
    this.#callId = callId;
    this.#options = options;
    for (const dialect of dialects.list) {
      const listener = dialect.listen?.(options);
      if (listener) this.#listeners.set(dialect.name, listener);
    }
  }

  /** The JSON-RPC id of the call's request. */
  get rpcId(): string {
    return this.#rpcId;
  }

  /** Returns the listener of one dialect. */
  of(dialect: string): EarlyListener | undefined {
    return this.#listeners.get(dialect);
  }

  /** Called with the JSON-RPC id before the call is sent under it. */
  sentAs(rpcId: string): void {
    this.#rpcId = rpcId;
    for (const listener of this.#listeners.values()) listener.sentAs?.(rpcId);
  }

  hear(notification: Notification): void {
    for (const listener of this.#listeners.values()) listener.hear(notification);
    this.#hearProgress(notification);
  }

  /** Called when the call has ended in this process. */
  close(): void {
    for (const listener of this.#listeners.values()) listener.close?.();
  }

  #hearProgress({ method, params }: Notification): void {
    if (method !== 'notifications/progress' || params.progressToken !== this.#callId) return;
    const { progress, total, message } = params;
    if (typeof progress !== 'number') return;
    this.#options.update({
      type: 'progress',
      value: progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }
}
