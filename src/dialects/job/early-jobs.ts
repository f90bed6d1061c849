import { HOST_MAX_EARLY_CHARS } from '../../limits.ts';
import type { EarlyListener } from '../host-dialect.ts';
import type { HostPort, Notification } from '../host-port.ts';

const MAX_KEPT = 1000;

/** Keeps job notifications that arrive before the call's job is known: one of them may be the call's. */
export class EarlyJobs implements EarlyListener {
  #kept: Notification[] | undefined = [];
  #keptChars = 0;

  hear(notification: Notification): void {
    const { params } = notification;
    if (typeof params.job_id !== 'string' || !this.#kept || this.#kept.length >= MAX_KEPT) return;
    this.#keptChars += JSON.stringify(params).length;
    if (this.#keptChars <= HOST_MAX_EARLY_CHARS) this.#kept.push(notification);
  }

  /** Returns a port whose first listener receives the kept notifications; nothing is kept from then on. */
  replayTo(port: HostPort): HostPort {
    return {
      ...port,
      onNotification: (listener) => {
        const kept = this.#kept ?? [];
        this.#kept = undefined;
        for (const notification of kept) listener(notification);
        return port.onNotification(listener);
      },
    };
  }
}
