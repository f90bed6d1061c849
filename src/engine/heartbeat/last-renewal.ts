/**
 * When the last renewal of a worker's lease that went well began, on a clock that all threads share.
 *
 * Beats pass from thread to thread. Whoever takes them over counts from the last one that reached the store, and not from its
 * own beginning: others will take the tasks when the lease is over, whoever beat last.
 */
export class LastRenewal {
  readonly shared: SharedArrayBuffer;
  readonly #at: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#at = new BigInt64Array(shared);
  }

  get silentMs(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#at, 0)) / NANOSECONDS;
  }

  /** One that began so long ago went well. */
  note(agoMs: number): void {
    Atomics.store(this.#at, 0, process.hrtime.bigint() - BigInt(Math.round(agoMs * NANOSECONDS)));
  }
}

/** In a millisecond. */
const NANOSECONDS = 1e6;
