/** One end of a copy: a store whose rows are read or written raw, without the verbs. */
import type { CopyMark } from '../../sqlite/closed.ts';
import type { Keys } from './key-files.ts';
import type { CopyTable, Cursor, Row } from './tables.ts';

/** How far a copy has progressed. */
export interface Progress {
  /** How many tables are complete. */
  readonly tables: number;
  /** Where the next page of the following table begins. */
  readonly after?: Cursor;
}

export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the last row; absent when no rows were left. */
  readonly last?: Cursor;
}

/** A mark that is about to be written. */
export interface NewMark extends Pick<CopyMark, 'copy' | 'other'> {
  /** The time of the source when it was closed. */
  readonly at: number;
}

export interface CopySide {
  /** The address of the store, without a password. */
  readonly place: string;
  mark(role: CopyMark['role']): Promise<(CopyMark & { readonly at: number; readonly progress: Progress }) | undefined>;
  keys(): Promise<Keys>;
  keepKeys(keys: Keys): Promise<void>;
  read(table: CopyTable, after: Cursor | undefined): Promise<Page>;

  /** Closes the source to all writers. `false` when a worker is registered or still runs a task. */
  close(mark: NewMark): Promise<boolean>;
  /** Whether a target has no rows. */
  isEmpty(): Promise<boolean>;
  /** Closes the target until it is complete, and sets its time; `false` when it already has rows. */
  begin(mark: NewMark): Promise<boolean>;
  /** Adds rows and stores the progress, both in one transaction. */
  write(table: CopyTable, rows: readonly Row[], progress: Progress): Promise<void>;
  /** Marks the copy as complete; a target is open from then on. */
  finish(role: CopyMark['role']): Promise<void>;
  /** Makes a closed source usable again; `false` when it is not a closed source. */
  reopen(): Promise<boolean>;
  dispose(): Promise<void>;
}

/** The boot id in a target's record of the time. No real boot has it, so the target's time counts on anew. */
export const NO_BOOT = 'copied';
