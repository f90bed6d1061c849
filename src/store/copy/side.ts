/** One end of a copy: a store whose rows are read or written as they are, without the verbs. */
import type { CopyMark } from '../../sqlite/closed.ts';
import type { Keys } from './key-files.ts';
import type { CopyTable, Cursor, Row } from './tables.ts';

/** How far a copy is. */
export interface Progress {
  /** How many tables are whole. */
  readonly tables: number;
  /** Where the next page of the one after them begins. */
  readonly after?: Cursor;
}

export interface Page {
  readonly rows: readonly Row[];
  /** Where it ends; absent when nothing was left. */
  readonly last?: Cursor;
}

/** A mark that is being made. */
export interface NewMark extends Pick<CopyMark, 'copy' | 'other'> {
  /** The time of the source when it was closed. */
  readonly at: number;
}

export interface CopySide {
  /** Where it is, without a password. */
  readonly place: string;
  mark(role: CopyMark['role']): Promise<(CopyMark & { readonly at: number; readonly progress: Progress }) | undefined>;
  keys(): Promise<Keys>;
  keepKeys(keys: Keys): Promise<void>;
  read(table: CopyTable, after: Cursor | undefined): Promise<Page>;

  /** Closes the source: from then on nobody writes to it. `false` when somebody is at work on it. */
  close(mark: NewMark): Promise<boolean>;
  /** Whether a target has no rows. */
  isEmpty(): Promise<boolean>;
  /** Closes the target until it is whole, and gives it the time; `false` when it has rows already. */
  begin(mark: NewMark): Promise<boolean>;
  /** Adds rows and says how far that is, at once or not at all. */
  write(table: CopyTable, rows: readonly Row[], progress: Progress): Promise<void>;
  /** Says that the copy is whole; a target is open from then on. */
  finish(role: CopyMark['role']): Promise<void>;
  /** Makes a closed source usable again; `false` when it is none. */
  reopen(): Promise<boolean>;
  dispose(): Promise<void>;
}

/** What a target gets in the place of the boot in its record of the time: none that could be, so that it counts on anew. */
export const NO_BOOT = 'copied';
