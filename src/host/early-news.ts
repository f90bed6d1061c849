import type { CallUpdate, Notification } from '../dialects/host-port.ts';

const MOST_KEPT = 1000;

/**
 * What a server tells of a call beside its dialect: progress of the request itself, and news of a job that is not
 * named yet, which may turn out to be this call's.
 */
export class EarlyNews {
  readonly #callId: string;
  readonly #update: (update: CallUpdate) => void;
  #kept: Notification[] | undefined = [];

  constructor(callId: string, update: (update: CallUpdate) => void) {
    this.#callId = callId;
    this.#update = update;
  }

  hear(notification: Notification): void {
    const { method, params } = notification;
    if (typeof params.job_id === 'string' && (this.#kept?.length ?? 0) < MOST_KEPT) this.#kept?.push(notification);
    if (method !== 'notifications/progress' || params.progressToken !== this.#callId) return;
    const { progress, total, message } = params;
    if (typeof progress !== 'number') return;
    this.#update({
      type: 'progress',
      value: progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  /** Tells what was kept to the one who hears for himself from now on. */
  replay(listener: (notification: Notification) => void): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const notification of kept) listener(notification);
  }
}
