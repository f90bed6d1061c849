import type { Clock } from '../clock.ts';
import { TaskError } from '../errors.ts';
import type { OutboxMessage, Store } from '../store/contract.ts';
import { toRetryDelay } from '../task/retry.ts';
import type { ChangeRouter } from './change-router.ts';

/** Brings a message to the outside. It may come twice with the same `messageId`, and must then show once. */
export type DeliveryHandler = (message: OutboxMessage) => void | Promise<void>;

export interface CourierOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly router: ChangeRouter;
  readonly handlers: Readonly<Record<string, DeliveryHandler>>;
  /** How long a message stays with a process that is silent about it. */
  readonly holdMs: number;
  report(error: unknown): void;
}

const BATCH = 20;
/** A message left by a process that died is taken up after at most this long. */
const LOOK_MS = 5000;
const BACK_OFF = { maxAttempts: Infinity, firstDelayMs: 1000, longestDelayMs: 300_000 };

/**
 * Delivers what the outbox holds for the topics this process knows.
 *
 * A message is taken for a while, which is prolonged while its handler works, and then crossed off. If this process
 * dies in between, the message comes up again, here or elsewhere: at least once, with an id by which the receiver
 * shows it once.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #topics: readonly string[];
  #stopListening: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #round: Promise<void> | undefined;
  #again = false;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#topics = Object.keys(options.handlers);
  }

  start(): void {
    if (this.#topics.length === 0) return;
    this.#stopListening = this.#options.router.onAny((changes) => {
      if (changes.some((change) => change.type === 'ended')) void this.deliver();
    });
    void this.deliver();
  }

  /** Delivers everything that is due now. */
  deliver(): Promise<void> {
    this.#again = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    this.#cancelTimer?.();
    this.#again = false;
    await this.#round;
    this.#cancelTimer?.();
  }

  async #rounds(): Promise<void> {
    let nextDueAt = Infinity;
    while (this.#again && this.#topics.length > 0) {
      this.#again = false;
      try {
        nextDueAt = await this.#deliverBatch();
      } catch (error) {
        this.#options.report(error);
      }
    }
    const { clock } = this.#options;
    const waitMs = Math.min(LOOK_MS, Math.max(0, nextDueAt - clock.now()));
    this.#cancelTimer?.();
    if (this.#stopListening) this.#cancelTimer = clock.after(waitMs, () => void this.deliver());
  }

  /** Returns when the next message is due, those that have just failed included. */
  async #deliverBatch(): Promise<number> {
    const { store } = this.#options;
    const take = await store.outbox.take({ topics: this.#topics, max: BATCH, holdMs: this.#options.holdMs });
    const postponed = await Promise.all(take.messages.map((message) => this.#hand(message)));
    if (take.messages.length === BATCH) this.#again = true;
    return Math.min(take.nextDueAt ?? Infinity, ...postponed);
  }

  /** Returns when the message is due again; never, once it is delivered. */
  async #hand(message: OutboxMessage): Promise<number> {
    const { store, clock, handlers } = this.#options;
    const letGo = this.#hold(message);
    try {
      await handlers[message.topic]?.(message);
    } catch (cause) {
      await letGo();
      const text = `outbox message ${message.messageId} (${message.topic}) was not delivered and will be tried again`;
      this.#options.report(new TaskError('INTERNAL', text, { cause }));
      const dueAt = clock.now() + toRetryDelay(BACK_OFF, message.tries);
      await store.outbox.postpone(message.messageId, dueAt);
      return dueAt;
    }
    await letGo();
    await store.outbox.done(message.messageId);
    return Infinity;
  }

  /** Keeps a message with this process while its handler works. */
  #hold({ messageId }: OutboxMessage): () => Promise<void> {
    const { store, clock, holdMs, report } = this.#options;
    let prolonging: Promise<void> = Promise.resolve();
    let cancel: () => void;
    const arm = () => {
      cancel = clock.after(holdMs / 3, () => {
        prolonging = store.outbox.postpone(messageId, clock.now() + holdMs).then(arm, report);
      });
    };
    arm();
    return () => {
      cancel();
      return prolonging;
    };
  }
}
