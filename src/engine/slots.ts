import type { ParsedTool } from './tool.ts';

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
  readonly #waiting: { tool: string; go: () => void }[] = [];
  #total = 0;

  constructor(limit: number, tools: ReadonlyMap<string, ParsedTool>) {
    this.#limit = limit;
    this.#tools = tools;
  }

  /** Free slots in all, after those that wait to go on. */
  get free(): number {
    return Math.max(0, this.#limit - this.#total - this.#waiting.length);
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

  /** Takes a slot that is known to be free. */
  take(tool: string): void {
    this.#total++;
    this.#used.set(tool, (this.#used.get(tool) ?? 0) + 1);
  }

  give(tool: string): void {
    this.#total--;
    this.#used.set(tool, (this.#used.get(tool) ?? 0) - 1);
    this.#admit();
  }

  /** Waits for a slot. */
  async retake(tool: string): Promise<void> {
    await new Promise<void>((go) => {
      this.#waiting.push({ tool, go });
      this.#admit();
    });
  }

  #admit(): void {
    for (let i = 0; i < this.#waiting.length; i++) {
      const next = this.#waiting[i];
      if (!next || this.#total >= this.#limit) return;
      const limit = this.#tools.get(next.tool)?.concurrency ?? Infinity;
      if ((this.#used.get(next.tool) ?? 0) >= limit) continue;
      this.#waiting.splice(i--, 1);
      this.take(next.tool);
      next.go();
    }
  }
}
