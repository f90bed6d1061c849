/**
 * How many attempts of each tool are at work in this thread.
 *
 * The counts lie in memory that the heartbeat thread shares: while this thread is blocked, nobody else could tell by whom.
 */

/** What another thread needs to read the counts. */
export interface SharedCounts {
  readonly names: readonly string[];
  readonly counts: SharedArrayBuffer;
}

/** One attempt; saying the same twice counts once. */
export interface AttemptMark {
  work(): void;
  rest(): void;
}

export class ToolsAtWork {
  readonly shared: SharedCounts;
  readonly #counts: Int32Array;

  constructor(names: readonly string[]) {
    this.shared = { names, counts: new SharedArrayBuffer(names.length * Int32Array.BYTES_PER_ELEMENT) };
    this.#counts = new Int32Array(this.shared.counts);
  }

  mark(tool: string): AttemptMark {
    const place = this.shared.names.indexOf(tool);
    // The other thread has the names of those that were there at the start.
    if (place < 0) return { work() {}, rest() {} };
    let isAtWork = false;
    const set = (isNow: boolean) => {
      if (isNow !== isAtWork) Atomics.add(this.#counts, place, isNow ? 1 : -1);
      isAtWork = isNow;
    };
    return { work: () => set(true), rest: () => set(false) };
  }
}

export function readToolsAtWork({ names, counts }: SharedCounts): string[] {
  const view = new Int32Array(counts);
  return names.filter((_name, place) => Atomics.load(view, place) > 0);
}
