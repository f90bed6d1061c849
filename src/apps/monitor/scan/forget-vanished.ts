/** Removes records of what no longer exists. Only what is certain to be gone is removed. */
import { lstat } from 'node:fs/promises';
import type { MonitorDatabase } from '../monitor-database.ts';
import { joinPath, type RawPath } from './raw-path.ts';
import type { SyncReport } from './sync-report.ts';

/** A directory between its first piece and its last. */
export interface OpenDirectory {
  readonly path: RawPath;
  /** The id of its row, if it has one. */
  readonly id: number | undefined;
  /** How many files were known in it. */
  readonly before: number;
  /** How many of those still exist. */
  matched: number;
  readonly directories: RawPath[];
}

interface Parts {
  readonly database: MonitorDatabase;
  readonly report: SyncReport;
}

/** Compares a completely listed directory with its stored records, and removes what has vanished. */
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

/** A directory that could not be read completely. */
export interface UnreadableDirectory {
  readonly path: RawPath;
  /** The error code of the system. */
  readonly code: string;
  /** Whether it is the directory to be synced. */
  readonly isRoot: boolean;
}

/** Reports the error, and removes the directory's records if it is gone. */
export async function recordUnreadable(
  { database, report }: Parts,
  { path, code, isRoot }: UnreadableDirectory,
): Promise<void> {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    report.warn(path, 'vanished while it was scanned');
    report.count('removed', await database.forgetDirectory(path));
  } else report.noteUnreadableDirectory(path, code, isRoot);
}

function toKey(name: RawPath): string {
  return typeof name === 'string' ? name : `\0${name.toString('latin1')}`;
}

/** Whether a file exists; assumed to when it is not accessible. */
async function isFile(path: RawPath): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
