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

/** Marks one attempt as running or waiting; repeating a call changes nothing. */
export interface RunningMark {
  start(): void;
  stop(): void;
}

export class RunningTools {
  readonly shared: SharedCounts;
  readonly #counts: Int32Array;

  constructor(names: readonly string[]) {
    this.shared = { names, counts: new SharedArrayBuffer(names.length * Int32Array.BYTES_PER_ELEMENT) };
    this.#counts = new Int32Array(this.shared.counts);
  }

  mark(tool: string): RunningMark {
    const place = this.shared.names.indexOf(tool);
    // The other thread only knows the names of tools that existed at the start.
    if (place < 0) return { start() {}, stop() {} };
    let isRunning = false;
    const set = (isNow: boolean) => {
      if (isNow !== isRunning) Atomics.add(this.#counts, place, isNow ? 1 : -1);
      isRunning = isNow;
    };
    return { start: () => set(true), stop: () => set(false) };
  }
}

export function readRunningTools({ names, counts }: SharedCounts): string[] {
  const view = new Int32Array(counts);
  return names.filter((_name, place) => Atomics.load(view, place) > 0);
}
