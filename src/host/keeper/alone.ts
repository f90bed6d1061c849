/**
 * What a keeper does while calls are open and no host is there: it waits for one, and looks now and then whether any can come.
 *
 * It costs one look at a file every few seconds, and one into the ledger every minute.
 */
import { KEEPER_ALONE_MS, KEEPER_UNWRITTEN_MS } from '../../limits.ts';

export interface AloneOptions {
  /** Whether there is no ledger any more in which a host could find the calls. */
  isGone(): boolean;
  /** Writes down again what could not be written; false when there is nothing like that. */
  writeAgain(): boolean;
  /** Lets go of calls that have ended without their keeper. */
  forgetEnded(): void;
  /** Nobody can come any more, or has come for too long. */
  onOver(): void;
}

const LOOK_MS = 2000;
// Each try opens the ledger, which may wait for a lock.
const LOOKS_PER_TRY = 5;
// Rare, and what it finds does no harm meanwhile.
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

  /** Counts looks and no hours: a machine that slept has not waited. */
  look(): void {
    const { isGone, writeAgain, forgetEnded, onOver } = this.#options;
    this.#looks += 1;
    if (this.#looks % LOOKS_PER_CLEARING === 0) forgetEnded();
    const isTry = this.#looks % LOOKS_PER_TRY === 0;
    if (isTry) this.#unwrittenLooks = writeAgain() ? this.#unwrittenLooks + LOOKS_PER_TRY : 0;
    const isTooLong = this.#looks * LOOK_MS >= KEEPER_ALONE_MS || this.#unwrittenLooks * LOOK_MS >= KEEPER_UNWRITTEN_MS;
    if (isTooLong || isGone()) onOver();
  }
}
