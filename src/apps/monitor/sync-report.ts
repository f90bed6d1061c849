import type { Answer, Message } from './answer.ts';
import { type RawPath, toPathText } from './raw-path.ts';

export interface SyncCounts {
  /** Updated and skipped together. */
  readonly files_processed: number;
  readonly files_skipped: number;
  /** Files whose record is new or has changed. */
  readonly files_updated: number;
  readonly files_hashed: number;
  /** Skipped, because size and time are as before. */
  readonly files_unchanged: number;
  /** Skipped by a filter, by their priority, or for want of room. */
  readonly files_excluded: number;
  /** Skipped, each with a message: unreadable, changed while hashed, or gone. */
  readonly files_unreadable: number;
  /** Records that are gone: their files are, or the config does not want them any more. */
  readonly files_removed: number;
  readonly duration_seconds: number;
}

/** A sync that failed as a whole has nothing to show. */
export type SyncResult = Answer<SyncCounts> | (Answer<Record<string, never>> & { readonly success: false });

type Counted = 'updated' | 'hashed' | 'unchanged' | 'excluded' | 'unreadable' | 'removed';

// A tree of unreadable files would otherwise fill the memory and the answer.
const MOST_WARNINGS = 100;

/** Collects what a sync has to say. */
export class SyncReport {
  readonly #counts: Record<Counted, number> = {
    updated: 0,
    hashed: 0,
    unchanged: 0,
    excluded: 0,
    unreadable: 0,
    removed: 0,
  };
  readonly #warnings: Message[] = [];
  #unsaid = 0;
  #links = 0;
  readonly #began = performance.now();

  count(what: Counted, by = 1): void {
    this.#counts[what] += by;
  }

  get processed(): number {
    const { updated, unchanged, excluded, unreadable } = this.#counts;
    return updated + unchanged + excluded + unreadable;
  }

  get updated(): number {
    return this.#counts.updated;
  }

  get hashed(): number {
    return this.#counts.hashed;
  }

  get durationMs(): number {
    return performance.now() - this.#began;
  }

  noteLinks(count: number): void {
    this.#links += count;
  }

  warn(path: RawPath, what: string): void {
    if (this.#warnings.length === MOST_WARNINGS) this.#unsaid += 1;
    else this.#warnings.push({ type: 'warning', text: `${toPathText(path)}: ${what}` });
  }

  toResult(): SyncResult {
    return {
      success: true,
      data: this.#toCounts(),
      messages: [...this.#warnings, ...this.#toRemarks(), { type: 'success', text: 'Sync completed successfully' }],
    };
  }

  /** The same for a path that could not be synced at all. */
  toFailure(text: string): SyncResult {
    return { success: false, data: {}, messages: [{ type: 'error', text }] };
  }

  #toRemarks(): Message[] {
    const info = (text: string): Message => ({ type: 'info', text });
    return [
      ...(this.#unsaid > 0 ? [{ type: 'warning', text: `${this.#unsaid} more warnings are not shown` } as const] : []),
      ...(this.#links > 0 ? [info(`Symbolic links are not followed: ${this.#links} left out`)] : []),
      ...(this.#counts.removed > 0 ? [info(`Removed ${this.#counts.removed} record(s) from the database`)] : []),
    ];
  }

  #toCounts(): SyncCounts {
    const { updated, hashed, unchanged, excluded, unreadable, removed } = this.#counts;
    return {
      files_processed: this.processed,
      files_skipped: unchanged + excluded + unreadable,
      files_updated: updated,
      files_hashed: hashed,
      files_unchanged: unchanged,
      files_excluded: excluded,
      files_unreadable: unreadable,
      files_removed: removed,
      duration_seconds: Math.round(this.durationMs) / 1000,
    };
  }
}
