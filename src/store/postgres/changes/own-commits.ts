/**
 * The commits of this process that it can announce without reading them back.
 *
 * The events of a task are announced in their order, whichever process wrote them. So a transaction is announced directly
 * only if each of its tasks is new, or all earlier events of the task were announced directly too; everything else is read.
 */
import type { Change } from '../../contract.ts';

/** A change, and the number of its event within the task. */
export interface NumberedChange extends Change {
  readonly seq: number;
}

/** For more tasks than this, changes are read instead. */
const MAX_TASKS = 10_000;

export class OwnCommits {
  /** The newest event of each task whose events were all announced directly. */
  readonly #newest = new Map<string, number>();
  readonly #pending = new Map<string, { readonly ended: Promise<void>; end(): void }>();
  readonly #announced = new Set<string>();

  /** Call before a transaction is committed. */
  begin(xid: string, changes: readonly NumberedChange[]): void {
    if (!this.#isInOrder(changes)) {
      for (const { taskId } of changes) this.#newest.delete(taskId);
      return;
    }
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#pending.set(xid, { ended, end });
  }

  /**
   * Call after it was committed with these changes, or with none if nothing was; returns whether to announce them directly.
   */
  end(xid: string, changes: readonly NumberedChange[]): boolean {
    const own = this.#pending.get(xid);
    if (own === undefined) return false;
    this.#pending.delete(xid);
    own.end();
    if (changes.length === 0) return false;
    this.#announced.add(xid);
    for (const { taskId, type, seq } of changes) {
      if (type === 'ended') this.#newest.delete(taskId);
      else this.#newest.set(taskId, seq);
    }
    for (const taskId of this.#newest.keys()) {
      if (this.#newest.size <= MAX_TASKS) break;
      this.#newest.delete(taskId);
    }
    return true;
  }

  /** Whether a transaction was or will be announced directly. */
  has(xid: string): boolean {
    return this.#announced.has(xid) || this.#pending.has(xid);
  }

  get announcedXids(): readonly string[] {
    return [...this.#announced];
  }

  get pendingXids(): readonly string[] {
    return [...this.#pending.keys()];
  }

  /** Resolves when all transactions in progress were announced or have failed. */
  async settled(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ ended }) => ended));
  }

  /** Forgets transactions that no later poll can find. */
  forget(xids: readonly string[]): void {
    for (const xid of xids) this.#announced.delete(xid);
  }

  #isInOrder(changes: readonly NumberedChange[]): boolean {
    const seen = new Map<string, number>();
    return changes.every(({ taskId, seq }) => {
      const before = seen.get(taskId) ?? this.#newest.get(taskId) ?? 0;
      seen.set(taskId, seq);
      return seq === before + 1;
    });
  }
}
