import { isObject } from '../../../app-kit/index.ts';
import type { JsonObject } from './codex-event.ts';

/**
 * Detects a run that makes no progress any more.
 *
 * Codex without a network repeats its errors for ever, so errors do not count as activity. A command or a tool that Codex waits
 * for may be slow: while an item is open, nothing counts as a stall.
 */
export class StallWatch implements Disposable {
  readonly #ms: number;
  readonly #onStall: () => void;
  readonly #open = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onStall: () => void) {
    this.#ms = ms;
    this.#onStall = onStall;
    this.#arm();
  }

  onEvent({ type, item }: JsonObject): void {
    if (type === 'error') return;
    const id = isObject(item) && typeof item.id === 'string' ? item.id : undefined;
    if (id !== undefined && type === 'item.started') this.#open.add(id);
    if (id !== undefined && type === 'item.completed') this.#open.delete(id);
    if (type === 'turn.completed' || type === 'turn.failed') this.#open.clear();
    this.#arm();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    // `setTimeout` fires at once for a longer delay.
    if (this.#open.size > 0 || this.#ms > 2 ** 31 - 1) return;
    this.#timer = setTimeout(this.#onStall, this.#ms);
  }
}
