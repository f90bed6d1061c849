import type { EventType } from '../../task/event.ts';
import type { Change } from '../contract.ts';

/** Events with consecutive rows. */
export interface EventRun {
  readonly firstRow: number;
  readonly changes: readonly Change[];
}

/** The events of the connection's current or last committed transaction, so that its process need not read them back. */
export class WrittenEvents {
  #firstRow = 0;
  #changes: Change[] = [];
  #isRun = true;

  /** Starts a new transaction. Events noted for one that was rolled back are dropped. */
  begin(): void {
    this.#changes = [];
    this.#isRun = true;
  }

  note(row: number, taskId: string, type: EventType): void {
    if (this.#changes.length === 0) this.#firstRow = row;
    else this.#isRun &&= row === this.#firstRow + this.#changes.length;
    this.#changes.push({ taskId, type });
  }

  /** What was written, in order; `undefined` when it must be read. */
  get run(): EventRun | undefined {
    return this.#isRun ? { firstRow: this.#firstRow, changes: this.#changes } : undefined;
  }
}
