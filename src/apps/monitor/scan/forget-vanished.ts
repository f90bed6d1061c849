/** What is known and not there any more. Only what is certain to be gone is forgotten. */
import { lstat } from 'node:fs/promises';
import type { MonitorDatabase } from '../monitor-database.ts';
import { joinPath, type RawPath } from './raw-path.ts';
import type { SyncReport } from './sync-report.ts';

/** A directory between its first piece and its last. */
export interface OpenDirectory {
  readonly path: RawPath;
  /** Its row, if anything is known of it. */
  readonly id: number | undefined;
  /** How many files were known in it. */
  readonly before: number;
  /** How many of them are there. */
  matched: number;
  readonly directories: RawPath[];
}

interface Parts {
  readonly database: MonitorDatabase;
  readonly report: SyncReport;
}

/** Compares a directory that was read as a whole with what was known of it. */
export async function forgetVanished(
  { database, report }: Parts,
  { path, id, before, matched, directories }: OpenDirectory,
): Promise<void> {
  if (id === undefined) return;
  const listed = new Set(directories.map(toKey));
  for (const { name } of database.listDirectories(id)) {
    if (!listed.has(toKey(name))) report.count('removed', await database.forgetDirectory(joinPath(path, name)));
  }
  if (before <= matched) return;
  for (const names of database.pageNames(id)) {
    const isThere = await Promise.all(names.map((name) => isFile(joinPath(path, name))));
    const dropped = names.filter((_name, at) => !isThere[at]);
    if (dropped.length === 0) continue;
    report.count('removed', await database.write({ directory: path, kept: [], repriced: [], dropped }));
  }
}

/** A directory that could not be read to its end. */
export interface Trouble {
  readonly path: RawPath;
  /** What the system said. */
  readonly code: string;
  /** It is the one that was to be synced. */
  readonly isRoot: boolean;
}

/** Speaks of it, and forgets what is known of it if it is gone. */
export async function noteTrouble({ database, report }: Parts, { path, code, isRoot }: Trouble): Promise<void> {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    report.warn(path, 'vanished while it was scanned');
    report.count('removed', await database.forgetDirectory(path));
  } else report.noteUnreadableDirectory(path, code, isRoot);
}

function toKey(name: RawPath): string {
  return typeof name === 'string' ? name : `\0${name.toString('latin1')}`;
}

/** Whether a file is there; one that cannot be looked at may be. */
async function isFile(path: RawPath): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
