import type { CallUpdate, Notification } from '../../dialects/host-port.ts';
import { parseRunNews } from '../../dialects/stream/run-notifications.ts';
import { StreamJoiner, type StreamJoinerOptions } from '../../dialects/stream/stream-joiner.ts';
import { HOST_MAX_EARLY_CHARS } from '../../limits.ts';

const MAX_KEPT = 1000;

/**
 * What a server tells of a call beside its dialect: progress of the request itself, news of a job that is not named
 * yet, which may turn out to be this call's, and a stream that began before the call was acknowledged.
 */
export class EarlyNotifications {
  readonly #callId: string;
  readonly #options: StreamJoinerOptions;
  #kept: Notification[] | undefined = [];
  #keptChars = 0;
  #rpcId = '';
  #stream: StreamJoiner | undefined;

  constructor(callId: string, options: StreamJoinerOptions) {
    this.#callId = callId;
    this.#options = options;
  }

  /** The id of the call's request. */
  get rpcId(): string {
    return this.#rpcId;
  }

  /** A run was told of that is this call's. */
  get isStreamed(): boolean {
    return this.#stream?.heardAt !== undefined;
  }

  /** The call goes out under this id; streams of earlier ones are not its own. */
  expect(rpcId: string): void {
    this.#rpcId = rpcId;
    this.#stream?.close();
    this.#stream = new StreamJoiner(this.#options);
  }

  hear(notification: Notification): void {
    const { method, params } = notification;
    if (typeof params.job_id === 'string') this.#keep(notification);
    this.#hearStream(notification);
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

  /** What was heard of the stream, for the one who hears for himself from now on. */
  takeStream(): StreamJoiner | undefined {
    const stream = this.#stream;
    this.#stream = undefined;
    return stream;
  }

  /** The call is answered for, and nothing of it is heard here any more. */
  close(): void {
    this.#stream?.close();
  }

  #keep(notification: Notification): void {
    if (!this.#kept || this.#kept.length >= MAX_KEPT) return;
    this.#keptChars += JSON.stringify(notification.params).length;
    if (this.#keptChars <= HOST_MAX_EARLY_CHARS) this.#kept.push(notification);
  }

  #hearStream(notification: Notification): void {
    const news = this.#stream && parseRunNews(notification);
    if (news?.rpcId === this.#rpcId) this.#stream?.hear(news);
  }

  #update(update: CallUpdate): void {
    this.#options.update(update);
  }
}
