/**
 * What this process has committed itself, and can tell without reading it.
 *
 * The events of a task are told in their order, whoever wrote them. So a transaction is told by its own process only where
 * each of its tasks is new, or all that was written to it before was told in the same way; anything else is read.
 */
import type { Change } from '../../contract.ts';

/** A change, and the number of its event in its task. */
export interface NumberedChange extends Change {
  readonly seq: number;
}

/** Beyond these, changes of a task are read. */
const MAX_TASKS = 10_000;

export class OwnCommits {
  /** The newest event of each task all of whose events were told from here. */
  readonly #newest = new Map<string, number>();
  readonly #underWay = new Map<string, { readonly ended: Promise<void>; end(): void }>();
  readonly #told = new Set<string>();

  /** A transaction is about to be committed. */
  begin(xid: string, changes: readonly NumberedChange[]): void {
    if (!this.#isInOrder(changes)) {
      for (const { taskId } of changes) this.#newest.delete(taskId);
      return;
    }
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#underWay.set(xid, { ended, end });
  }

  /** It was, with these changes, or nothing of it was kept; says whether they are to be told from here. */
  end(xid: string, changes: readonly NumberedChange[]): boolean {
    const own = this.#underWay.get(xid);
    if (own === undefined) return false;
    this.#underWay.delete(xid);
    own.end();
    if (changes.length === 0) return false;
    this.#told.add(xid);
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

  /** Whether a transaction was or will be told from here. */
  has(xid: string): boolean {
    return this.#told.has(xid) || this.#underWay.has(xid);
  }

  get told(): readonly string[] {
    return [...this.#told];
  }

  get underWay(): readonly string[] {
    return [...this.#underWay.keys()];
  }

  /** Resolves when those under way are told, or never will be. */
  async settled(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  /** No look can find these any more. */
  forget(xids: readonly string[]): void {
    for (const xid of xids) this.#told.delete(xid);
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
