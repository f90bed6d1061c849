/**
 * When the last successful renewal of a worker's lease started, on a clock that all threads share.
 *
 * Heartbeats pass from thread to thread. A thread that takes over counts from the last renewal that reached the store,
 * and not from its own start: others claim the tasks when the lease expires, whichever thread beat last.
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

  /** Records that a renewal that started `agoMs` ago has succeeded. */
  note(agoMs: number): void {
    Atomics.store(this.#at, 0, process.hrtime.bigint() - BigInt(Math.round(agoMs * NANOSECONDS)));
  }
}

/** Per millisecond. */
const NANOSECONDS = 1e6;
