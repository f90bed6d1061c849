/** The waiters of a log by task, so that each line is checked once for all of them. */

import { isResult, parseLine, type RequestEntry, toTaskId } from '../wire.ts';
import type { LineSink } from './line-scanner.ts';
import type { LogMark } from './log-mark.ts';

export interface Waiter {
  readonly taskId: string;
  /** An optional prefix of the id. */
  readonly prefix: string;
  readonly intervalMs: number;
  readonly mark: LogMark | undefined;
  found(entry: RequestEntry): void;
}

const IDLE_MS = 60_000;

export class WaiterRegistry implements LineSink {
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #prefixes = new Map<string, number>();
  readonly #intervals = new Map<number, number>();

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  /** The shortest interval that any waiter wants. */
  get intervalMs(): number {
    return Math.min(IDLE_MS, ...this.#intervals.keys());
  }

  add(waiter: Waiter): void {
    const { taskId, prefix, intervalMs } = waiter;
    const others = this.#waiters.get(taskId);
    if (others) others.push(waiter);
    else this.#waiters.set(taskId, [waiter]);
    count(this.#prefixes, prefix, 1);
    count(this.#intervals, intervalMs, 1);
  }

  remove(waiter: Waiter): void {
    const { taskId, prefix, intervalMs } = waiter;
    const all = this.#waiters.get(taskId);
    if (!all?.includes(waiter)) return;
    const others = all.filter((one) => one !== waiter);
    if (others.length > 0) this.#waiters.set(taskId, others);
    else this.#waiters.delete(taskId);
    count(this.#prefixes, prefix, -1);
    count(this.#intervals, intervalMs, -1);
  }

  wants(requestId: string): boolean {
    if (this.#waiters.has(requestId)) return true;
    for (const prefix of this.#prefixes.keys()) {
      if (this.#waiters.has(toTaskId(requestId, prefix))) return true;
    }
    return false;
  }

  /** Ends the wait of every waiter whose result this line is. */
  take(line: string): boolean {
    const entry = parseLine(line);
    if (entry === undefined) return false;
    if (isResult(entry)) for (const waiter of this.#findAll(entry.requestId)) waiter.found(entry);
    return true;
  }

  /** Returns a mark that is valid for all waiters; undefined when their files differ: then everything is read. */
  toCommonMark(): LogMark | undefined {
    let least: LogMark | undefined;
    for (const same of this.#waiters.values()) {
      for (const { mark } of same) {
        if (mark === undefined || (least && least.id !== mark.id)) return undefined;
        if (least === undefined || mark.size < least.size) least = mark;
      }
    }
    return least;
  }

  #findAll(requestId: string): Waiter[] {
    const exact = this.#waiters.get(requestId) ?? [];
    const prefixed = [...this.#prefixes.keys()]
      .filter((prefix) => prefix !== '' && requestId.startsWith(prefix))
      .flatMap(
        (prefix) => this.#waiters.get(toTaskId(requestId, prefix))?.filter((one) => one.prefix === prefix) ?? [],
      );
    return [...exact, ...prefixed];
  }
}

function count<K>(counts: Map<K, number>, key: K, by: number): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
