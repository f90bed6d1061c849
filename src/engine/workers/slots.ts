import type { SlotWish } from '../../store/contracts/task-contract.ts';
import type { ParsedTool } from '../tool.ts';
import type { MayTake } from './fair-share.ts';

/** The right of one attempt to run now. */
export interface Slot {
  /** Frees the slot; may be called more than once. */
  release(): void;
  /** Waits until there is a free slot again, or until the signal aborts. */
  reacquire(signal: AbortSignal): Promise<void>;
  /** Blocks all other slots until this one is freed; waits until the others are free, or until the signal aborts. */
  acquireExclusive(signal: AbortSignal): Promise<void>;
}

/** The principal and the tool of an attempt. */
export interface SlotOwner {
  readonly principal: string;
  readonly tool: string;
}

/**
 * Limits how many attempts run at once, in total, per tool and per principal.
 *
 * An attempt that waits for an answer frees its slot. When the answer arrives it has to get a slot again, and goes before
 * work that has not started, within the share of its principal.
 */
export class Slots {
  readonly #limit: number;
  readonly #tools: ReadonlyMap<string, ParsedTool>;
  readonly #mayTake: MayTake;
  readonly #used = new Map<string, number>();
  /** By principal, then by tool. */
  readonly #shares = new Map<string, Map<string, number>>();
  readonly #waiting = new Set<SlotOwner & { admit(): void }>();
  #total = 0;
  #isPaused = false;
  /** Set while one slot has taken all; called when the others are free. */
  #onExclusive: (() => void) | undefined;

  constructor(limit: number, tools: ReadonlyMap<string, ParsedTool>, mayTake: MayTake = () => true) {
    this.#limit = limit;
    this.#tools = tools;
    this.#mayTake = mayTake;
  }

  /** Free slots in total. An attempt that waits while some are free waits for a slot of its tool or of its share. */
  get free(): number {
    if (this.#onExclusive) return 0;
    return Math.max(0, this.#limit - this.#total);
  }

  /** Whether some tool has no free slot. */
  get hasFullTool(): boolean {
    return Object.keys(this.freeByTool()).length < this.#tools.size;
  }

  /** Returns the free slots of each tool that has any. */
  freeByTool(): Record<string, number> {
    const free: Record<string, number> = {};
    for (const name of this.#tools.keys()) {
      const left = this.#freeOf(name);
      if (left > 0) free[name] = left;
    }
    return free;
  }

  /** Whether a claim may give a principal one more slot. */
  admits({ principal, tool, taken, takenOfTool, left, leftOfTool }: SlotWish): boolean {
    const mine = this.#shares.get(principal);
    const all = { held: sum(mine) + taken, left };
    return this.#mayTake(principal, { all, tool: { held: (mine?.get(tool) ?? 0) + takenOfTool, left: leftOfTool } });
  }

  /** Keeps the free slots for a claim in progress: until `resumeWaiting` no waiting attempt gets a slot. */
  pauseWaiting(): void {
    this.#isPaused = true;
  }

  resumeWaiting(): void {
    this.#isPaused = false;
    this.#admitWaiting();
  }

  /** Takes a slot that is known to be free. */
  acquire(owner: SlotOwner): Slot {
    let held = true;
    let isExclusive = false;
    this.#count(owner, 1);
    return {
      release: () => {
        if (isExclusive) this.#onExclusive = undefined;
        isExclusive = false;
        if (held) this.#count(owner, -1);
        held = false;
        this.#admitWaiting();
      },
      acquireExclusive: (signal) => {
        isExclusive = true;
        return this.#waitUntilExclusive(signal);
      },
      reacquire: async (signal) => {
        if (held || signal.aborted) return;
        await new Promise<void>((resolve) => {
          const stopWaiting = () => {
            this.#waiting.delete(waiter);
            signal.removeEventListener('abort', stopWaiting);
            resolve();
          };
          const admit = () => {
            held = true;
            this.#count(owner, 1);
            stopWaiting();
          };
          const waiter = { ...owner, admit };
          signal.addEventListener('abort', stopWaiting);
          this.#waiting.add(waiter);
          this.#admitWaiting();
        });
      },
    };
  }

  #waitUntilExclusive(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#onExclusive = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (this.#total <= 1 || signal.aborted) resolve();
    });
  }

  #freeOf(tool: string): number {
    const limit = this.#tools.get(tool)?.concurrency ?? Infinity;
    return Math.min(this.free, limit - (this.#used.get(tool) ?? 0));
  }

  #count({ principal, tool }: SlotOwner, by: 1 | -1): void {
    this.#total += by;
    this.#used.set(tool, (this.#used.get(tool) ?? 0) + by);
    const mine = this.#shares.get(principal) ?? new Map<string, number>();
    this.#shares.set(principal, mine.set(tool, (mine.get(tool) ?? 0) + by));
    if (sum(mine) === 0) this.#shares.delete(principal);
    if (this.#total <= 1) this.#onExclusive?.();
  }

  #admitWaiting(): void {
    if (this.#isPaused) return;
    for (const waiter of this.#waiting) {
      if (this.free === 0) return;
      const { principal, tool } = waiter;
      const leftOfTool = this.#freeOf(tool);
      const wish = { principal, tool, taken: 0, takenOfTool: 0, left: this.free, leftOfTool };
      if (leftOfTool > 0 && this.admits(wish)) waiter.admit();
    }
  }
}

function sum(counts: ReadonlyMap<string, number> | undefined): number {
  let total = 0;
  for (const count of counts?.values() ?? []) total += count;
  return total;
}
