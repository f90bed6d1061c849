import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { Store } from '../../store/contract.ts';
import type { OutboxMessage } from '../../store/contracts/outbox-contract.ts';
import { toRetryDelay } from '../../task/retry.ts';
import type { ChangeRouter } from '../change-router.ts';

/** Delivers a message to the outside. It may be called twice with the same `messageId`; the message must then show once. */
export type DeliveryHandler = (message: OutboxMessage) => void | Promise<void>;

export interface CourierOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly router: ChangeRouter;
  readonly handlers: Readonly<Record<string, DeliveryHandler>>;
  /** How long a message stays claimed by a process that does not report on it. */
  readonly holdMs: number;
  report(error: unknown): void;
}

const MAX_DELIVERIES = 20;
/** A message of a process that died is taken up after at most this long. */
const POLL_INTERVAL_MS = 5000;
/** An empty outbox is filled by the end of a task, which is announced; an announcement may be lost. */
const EMPTY_POLL_INTERVAL_MS = 60_000;
const BACK_OFF = { maxAttempts: Infinity, firstDelayMs: 1000, maxDelayMs: 300_000 };

/**
 * Delivers the outbox messages of the topics that this process handles.
 *
 * A message is claimed for a while, the claim is extended while its handler runs, and then the message is removed. If
 * this process dies in between, the message is delivered again, here or elsewhere: at least once, with an id by which the
 * receiver shows it once. A handler that hangs blocks only its own message.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #topics: readonly string[];
  #stopListening: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #polling: Promise<void> | undefined;
  #again = false;
  readonly #deliveries = new Set<Promise<void>>();
  /** Functions that stop extending the claims of messages whose handlers still run. */
  readonly #claims = new Set<() => Promise<void>>();

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#topics = Object.keys(options.handlers);
  }

  start(): void {
    if (this.#topics.length === 0) return;
    this.#stopListening = this.#options.router.onAny((changes) => {
      if (changes.some((change) => change.type === 'ended')) void this.#poll();
    });
    void this.#poll();
  }

  /** Starts all deliveries that are due now; resolves when they are done, or have taken too long to wait for. */
  async deliver(): Promise<void> {
    await this.#poll();
    await this.#waitForDeliveries();
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#again = false;
    await this.#polling;
    await this.#waitForDeliveries();
    this.#cancelTimer?.();
    // A message that stays claimed for a handler that hangs would never be delivered by another process.
    await Promise.all([...this.#claims].map((stopExtending) => stopExtending()));
  }

  #poll(): Promise<void> {
    this.#again = true;
    this.#polling ??= this.#claimAll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #claimAll(): Promise<void> {
    let nextDueAt = Infinity;
    let isEmpty = false;
    while (this.#again && this.#topics.length > 0 && this.#deliveries.size < MAX_DELIVERIES) {
      this.#again = false;
      try {
        nextDueAt = await this.#claimDue();
        isEmpty = nextDueAt === Infinity && this.#deliveries.size === 0;
      } catch (error) {
        isEmpty = false;
        this.#options.report(error);
      }
    }
    const pollMs = isEmpty ? EMPTY_POLL_INTERVAL_MS : POLL_INTERVAL_MS;
    this.#schedulePoll(Math.min(nextDueAt, this.#options.store.time().now + pollMs));
  }

  #schedulePoll(dueAt: number): void {
    const { clock, store } = this.#options;
    this.#cancelTimer?.();
    if (!this.#stopListening) return;
    this.#cancelTimer = clock.after(Math.max(0, dueAt - store.time().now), () => void this.#poll());
  }

  /** Claims messages and starts to deliver them; returns when the next message is due. */
  async #claimDue(): Promise<number> {
    const { store, holdMs, report } = this.#options;
    const max = MAX_DELIVERIES - this.#deliveries.size;
    const { messages, nextDueAt = Infinity } = await store.outbox.take({ topics: this.#topics, max, holdMs });
    for (const message of messages) {
      const delivery = this.#callHandler(message)
        .catch((error) => report(error))
        .then((delivered) => {
          const wasFull = this.#deliveries.size === MAX_DELIVERIES;
          this.#deliveries.delete(delivery);
          if (this.#stopListening && (wasFull || !delivered)) void this.#poll();
        });
      this.#deliveries.add(delivery);
    }
    return nextDueAt;
  }

  /** Calls the handler of a message; returns whether the message was delivered. */
  async #callHandler(message: OutboxMessage): Promise<boolean> {
    const { store, handlers } = this.#options;
    const stopExtending = this.#keepClaimed(message);
    try {
      await handlers[message.topic]?.(message);
    } catch (cause) {
      await stopExtending();
      const text = `outbox message ${message.messageId} (${message.topic}) was not delivered and will be tried again`;
      this.#options.report(new TaskError('INTERNAL', text, { cause }));
      await store.outbox.postpone(message.messageId, store.time().now + toRetryDelay(BACK_OFF, message.tries));
      return false;
    }
    await stopExtending();
    await store.outbox.done(message.messageId);
    return true;
  }

  /** Waits for running deliveries, but not for a handler that hangs: its message stays in the outbox. */
  async #waitForDeliveries(): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(this.#options.holdMs, resolve);
    });
    await Promise.race([Promise.all(this.#deliveries), timeout]);
    cancel();
  }

  /** Extends the claim on a message while its handler runs; returns a function that stops this. */
  #keepClaimed({ messageId }: OutboxMessage): () => Promise<void> {
    const { store, clock, holdMs, report } = this.#options;
    let extending: Promise<void> = Promise.resolve();
    let cancel = () => {};
    const scheduleExtension = () => {
      if (!this.#claims.has(stopExtending)) return;
      cancel = clock.after(holdMs / 3, () => {
        extending = store.outbox.postpone(messageId, store.time().now + holdMs).then(scheduleExtension, report);
      });
    };
    const stopExtending = () => {
      this.#claims.delete(stopExtending);
      cancel();
      return extending;
    };
    this.#claims.add(stopExtending);
    scheduleExtension();
    return stopExtending;
  }
}
