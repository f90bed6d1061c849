/**
 * What a keeper does while calls are open and no host is connected: it waits for a host, and checks at intervals whether one can
 * still come.
 *
 * This costs one stat of a file every few seconds, and one read of the ledger every minute.
 */
import { KEEPER_HOST_WAIT_MS, KEEPER_WRITE_RETRY_MS } from '../../limits.ts';

export interface AloneOptions {
  /** Whether the ledger in which a host could find the calls is gone. */
  isGone(): boolean;
  /** Retries the answers that could not be written; `false` when there are none. */
  writeAgain(): boolean;
  /** Drops calls that have ended without their keeper. */
  forgetEnded(): void;
  /** Called when no host can come any more, or none has come for too long. */
  onOver(): void;
}

const LOOK_MS = 2000;
// Each retry opens the ledger, which may wait for a lock.
const LOOKS_PER_TRY = 5;
// Rarely: a call that has ended does no harm meanwhile.
const LOOKS_PER_CLEARING = 30;

export class Alone {
  readonly #options: AloneOptions;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #unwrittenLooks = 0;

  constructor(options: AloneOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_MS);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#looks = 0;
    this.#unwrittenLooks = 0;
  }

  /** Counts ticks rather than hours: time in which the machine slept does not count. */
  look(): void {
    const { isGone, writeAgain, forgetEnded, onOver } = this.#options;
    this.#looks += 1;
    if (this.#looks % LOOKS_PER_CLEARING === 0) forgetEnded();
    const isTry = this.#looks % LOOKS_PER_TRY === 0;
    if (isTry) this.#unwrittenLooks = writeAgain() ? this.#unwrittenLooks + LOOKS_PER_TRY : 0;
    const isTooLong =
      this.#looks * LOOK_MS >= KEEPER_HOST_WAIT_MS || this.#unwrittenLooks * LOOK_MS >= KEEPER_WRITE_RETRY_MS;
    if (isTooLong || isGone()) onOver();
  }
}
