import type { ParsedTool } from './tool.ts';

/** The right of one attempt to run now. */
export interface Slot {
  /** Frees it; more than once is fine. */
  give(): void;
  /** Waits until it is free again, or until the signal aborts. */
  retake(signal: AbortSignal): Promise<void>;
}

/**
 * How many attempts may run at once, in all and per tool.
 *
 * An attempt that waits for an answer frees its slot. When the answer comes it has to get one again, and goes
 * before work that has not begun.
 */
export class Slots {
  readonly #limit: number;
  readonly #tools: ReadonlyMap<string, ParsedTool>;
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<{ readonly tool: string; go(): void }>();
  #total = 0;
  #held = false;

  constructor(limit: number, tools: ReadonlyMap<string, ParsedTool>) {
    this.#limit = limit;
    this.#tools = tools;
  }

  /** Free slots in all. Whoever waits while some are free waits for one of its tool. */
  get free(): number {
    return Math.max(0, this.#limit - this.#total);
  }

  /** Whether some tool has no free slot. */
  get isTight(): boolean {
    return Object.keys(this.freeByTool()).length < this.#tools.size;
  }

  /** Free slots of each tool that has any. */
  freeByTool(): Record<string, number> {
    const free: Record<string, number> = {};
    for (const [name, tool] of this.#tools) {
      const left = Math.min(this.free, tool.concurrency - (this.#used.get(name) ?? 0));
      if (left > 0) free[name] = left;
    }
    return free;
  }

  /** Keeps what is free for a claim under way: until `letGo` nobody who waits gets a slot. */
  hold(): void {
    this.#held = true;
  }

  letGo(): void {
    this.#held = false;
    this.#admit();
  }

  /** Takes a slot that is known to be free. */
  take(tool: string): Slot {
    let held = true;
    this.#count(tool, 1);
    return {
      give: () => {
        if (held) this.#count(tool, -1);
        held = false;
        this.#admit();
      },
      retake: async (signal) => {
        if (held || signal.aborted) return;
        await new Promise<void>((resolve) => {
          const leave = () => {
            this.#waiting.delete(waiter);
            signal.removeEventListener('abort', leave);
            resolve();
          };
          const go = () => {
            held = true;
            this.#count(tool, 1);
            leave();
          };
          const waiter = { tool, go };
          signal.addEventListener('abort', leave);
          this.#waiting.add(waiter);
          this.#admit();
        });
      },
    };
  }

  #count(tool: string, by: 1 | -1): void {
    this.#total += by;
    this.#used.set(tool, (this.#used.get(tool) ?? 0) + by);
  }

  #admit(): void {
    if (this.#held) return;
    for (const waiter of this.#waiting) {
      if (this.#total >= this.#limit) return;
      const limit = this.#tools.get(waiter.tool)?.concurrency ?? Infinity;
      if ((this.#used.get(waiter.tool) ?? 0) < limit) waiter.go();
    }
  }
}
