import type { Answer, Message } from '../answer.ts';
import { type RawPath, toPathText } from './raw-path.ts';

export interface SyncCounts {
  /** Updated and skipped together. */
  readonly files_processed: number;
  readonly files_skipped: number;
  /** Files whose record is new or has changed. */
  readonly files_updated: number;
  readonly files_hashed: number;
  /** Skipped, because size and time are unchanged. */
  readonly files_unchanged: number;
  /** Skipped by a filter, by their priority, or because `max_documents` is reached. */
  readonly files_excluded: number;
  /** Skipped, each with a message: unreadable, changed while hashed, or gone. */
  readonly files_unreadable: number;
  /** Each with a message; records of their files are kept. */
  readonly directories_unreadable: number;
  /** Removed records: their files are gone, or the config excludes them now. */
  readonly files_removed: number;
  readonly duration_seconds: number;
}

/** A sync that failed as a whole has no counts. */
export type SyncResult = Answer<SyncCounts> | (Answer<Record<string, never>> & { readonly success: false });

type Counted = 'updated' | 'hashed' | 'unchanged' | 'excluded' | 'unreadable' | 'removed' | 'unreadableDirectories';

const DENIED = ['EACCES', 'EPERM'];
const PERMISSION_DENIED = 'Permission denied';

// Otherwise a tree of unreadable files would fill memory and the answer.
const MAX_WARNINGS = 100;

/** Collects the counts and messages of a sync. */
export class SyncReport {
  readonly #counts: Record<Counted, number> = {
    updated: 0,
    hashed: 0,
    unchanged: 0,
    excluded: 0,
    unreadable: 0,
    removed: 0,
    unreadableDirectories: 0,
  };
  readonly #warnings: Message[] = [];
  #unsaid = 0;
  #hashedBytes = 0;
  #unreadFiles = 0;
  #deniedFiles = 0;
  #deniedDirectories = 0;
  #rootTrouble: string | undefined;
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

  get hashedBytes(): number {
    return this.#hashedBytes;
  }

  noteHashed(bytes: number): void {
    this.count('hashed');
    this.#hashedBytes += bytes;
  }

  get durationMs(): number {
    return performance.now() - this.#began;
  }

  noteLinks(count: number): void {
    this.#links += count;
  }

  warn(path: RawPath, what: string): void {
    if (this.#warnings.length === MAX_WARNINGS) this.#unsaid += 1;
    else this.#warnings.push({ type: 'warning', text: `${toPathText(path)}: ${what}` });
  }

  /** Records a file that could not be read. */
  noteUnreadableFile(path: RawPath, code: string): void {
    this.count('unreadable');
    this.#unreadFiles += 1;
    if (DENIED.includes(code)) this.#deniedFiles += 1;
    this.warn(path, `cannot be read (${code})`);
  }

  /** Records a directory that could not be read; when it is the sync's root, the whole sync failed. */
  noteUnreadableDirectory(path: RawPath, code: string, isRoot: boolean): void {
    this.count('unreadableDirectories');
    if (DENIED.includes(code)) this.#deniedDirectories += 1;
    if (isRoot) this.#rootTrouble = code;
    else this.warn(path, `the directory cannot be read (${code}); what is known of it stays`);
  }

  /** Whether nothing at all could be read. */
  get hasFailed(): boolean {
    return this.#whyFailed() !== undefined;
  }

  /** Returns the result of the sync of a path. */
  toResult(path: string): SyncResult {
    const why = this.#whyFailed();
    if (why !== undefined) return this.toFailure(path, `Failed to sync: ${why}`);
    const messages = [...this.#warnings, ...this.#toRemarks(), this.#toLast()];
    return { success: true, data: this.#toCounts(), messages };
  }

  /** Returns the result for a path that could not be synced at all. */
  toFailure(path: string, text: string): SyncResult {
    const error: Message = { type: 'error', text, details: path };
    return { success: false, data: {}, messages: [error, ...this.#warnings, ...this.#toRemarks()] };
  }

  #whyFailed(): string | undefined {
    if (this.#rootTrouble !== undefined) return toReason(this.#rootTrouble);
    const isAllDenied = this.#deniedFiles === this.processed && this.#counts.removed === 0;
    return isAllDenied && this.#deniedFiles + this.#deniedDirectories > 0 ? PERMISSION_DENIED : undefined;
  }

  #toLast(): Message {
    const files = toCountText(this.#unreadFiles, 'file', 'files');
    const directories = toCountText(this.#counts.unreadableDirectories, 'directory', 'directories');
    const without = [files, directories].filter((text) => text !== undefined).join(' and ');
    const text =
      without === '' ? 'Sync completed successfully' : `Sync completed without ${without} that could not be read`;
    return { type: 'success', text };
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
    const { updated, hashed, unchanged, excluded, unreadable, removed, unreadableDirectories } = this.#counts;
    return {
      files_processed: this.processed,
      files_skipped: unchanged + excluded + unreadable,
      files_updated: updated,
      files_hashed: hashed,
      files_unchanged: unchanged,
      files_excluded: excluded,
      files_unreadable: unreadable,
      directories_unreadable: unreadableDirectories,
      files_removed: removed,
      duration_seconds: Math.round(this.durationMs) / 1000,
    };
  }
}

function toCountText(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}

/** Describes why something could not be read, from an error code of the system. */
export function toReason(code: string): string {
  return DENIED.includes(code) ? PERMISSION_DENIED : `it cannot be read (${code})`;
}
