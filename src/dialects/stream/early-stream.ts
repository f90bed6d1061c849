import type { EarlyListener, EarlyListenerOptions } from '../host-dialect.ts';
import type { Notification } from '../host-port.ts';
import { RunAssembler } from './run-assembler.ts';
import { parseRunNotification } from './run-notifications.ts';

/** A run whose notifications arrive before its call is acknowledged. */
export class EarlyStream implements EarlyListener {
  readonly #options: EarlyListenerOptions;
  #rpcId: string | undefined;
  #assembler: RunAssembler | undefined;

  constructor(options: EarlyListenerOptions) {
    this.#options = options;
  }

  /** Whether any notification about it has arrived. */
  get hasNotifications(): boolean {
    return this.#assembler !== undefined;
  }

  sentAs(rpcId: string): void {
    this.close();
    this.#rpcId = rpcId;
  }

  hear(notification: Notification): void {
    if (this.#rpcId === undefined) return;
    const parsed = parseRunNotification(notification);
    if (parsed?.rpcId !== this.#rpcId) return;
    this.#assembler ??= new RunAssembler(this.#options);
    this.#assembler.receive(parsed);
  }

  /** Returns what was received, for the follower of the run; nothing more is received here from then on. */
  take(): RunAssembler | undefined {
    const assembler = this.#assembler;
    this.#assembler = undefined;
    this.#rpcId = undefined;
    return assembler;
  }

  close(): void {
    this.take()?.close();
  }
}
