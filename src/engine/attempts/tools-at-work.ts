/**
 * Counts the running attempts of each tool in this thread.
 *
 * The counts are in memory shared with the heartbeat thread: while this thread is blocked, only that one can say by which
 * tool.
 */

/** What another thread needs to read the counts. */
export interface SharedCounts {
  readonly names: readonly string[];
  readonly counts: SharedArrayBuffer;
}

/** Marks one attempt as working or resting; repeating a call changes nothing. */
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
    // The other thread only knows the names of tools that existed at the start.
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
