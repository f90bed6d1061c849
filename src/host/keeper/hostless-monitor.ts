/**
 * What a keeper does while calls are open and no host is connected: it waits for a host, and checks at intervals whether one can
 * still come.
 *
 * This costs one stat of a file every few seconds, and one read of the ledger every minute.
 */
import { KEEPER_HOST_WAIT_MS, KEEPER_WRITE_RETRY_MS } from '../../limits.ts';

export interface HostlessMonitorOptions {
  /** Whether the ledger in which a host could find the calls is gone. */
  isLedgerGone(): boolean;
  /** Retries the answers that could not be written; `false` when there are none. */
  retryWrites(): boolean;
  /** Drops calls that have ended without their keeper. */
  dropEnded(): void;
  /** Called when no host can come any more, or none has come for too long. */
  onAbandoned(): void;
}

const CHECK_MS = 2000;
// Each retry opens the ledger, which may wait for a lock.
const CHECKS_PER_RETRY = 5;
// Rarely: a call that has ended does no harm meanwhile.
const CHECKS_PER_CLEANUP = 30;

export class HostlessMonitor {
  readonly #options: HostlessMonitorOptions;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #unwrittenChecks = 0;

  constructor(options: HostlessMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.check(), CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#checks = 0;
    this.#unwrittenChecks = 0;
  }

  /** Counts ticks rather than hours: time in which the machine slept does not count. */
  check(): void {
    const { isLedgerGone, retryWrites, dropEnded, onAbandoned } = this.#options;
    this.#checks += 1;
    if (this.#checks % CHECKS_PER_CLEANUP === 0) dropEnded();
    const isRetry = this.#checks % CHECKS_PER_RETRY === 0;
    if (isRetry) this.#unwrittenChecks = retryWrites() ? this.#unwrittenChecks + CHECKS_PER_RETRY : 0;
    const isTooLong =
      this.#checks * CHECK_MS >= KEEPER_HOST_WAIT_MS || this.#unwrittenChecks * CHECK_MS >= KEEPER_WRITE_RETRY_MS;
    if (isTooLong || isLedgerGone()) onAbandoned();
  }
}
