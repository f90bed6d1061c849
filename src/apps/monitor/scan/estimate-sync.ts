/** Estimates how long a sync will take: counts its files first, and uses the speed of past syncs. */
import { lstatSync } from 'node:fs';
import type { Filter } from '../config/filter.ts';
import type { MonitorDatabase } from '../monitor-database.ts';
import { listTree, type TreePiece } from './list-tree.ts';
import { type Amount, toDurationMs, toPace } from './pace.ts';
import { joinPath, type RawPath, toPathText } from './raw-path.ts';

export interface EstimateParts {
  readonly database: MonitorDatabase;
  readonly filter: Filter;
}

export interface EstimateOrder {
  readonly path: string;
  readonly recursive: boolean;
  readonly rehash: boolean;
}

/** How many files a path contains, and which of them are to be hashed. */
interface Count {
  readonly files: number;
  readonly wanted: Amount;
}

// The caller waits for the estimate, and it blocks the thread for all other requests.
const ENOUGH_MS = 150;
const MAX_MS = 1000;
// A smaller count is not representative, so counting continues up to `MAX_MS`.
const MIN_COUNT = { files: 1000, directories: 100 };

/** A path that was synced before takes as long as last time, plus the time for new files or for hashing again. */
export function estimateSync({ database, filter }: EstimateParts, { path, recursive, rehash }: EstimateOrder): number {
  const { files, wanted } = countBriefly(filter, path, recursive);
  const wholeMs = toDurationMs(wanted, toPace(database.listSyncs()));
  const last = database.getLastSync({ path, recursive });
  if (!last || rehash) return Math.ceil(wholeMs);
  const isNew = Math.max(0, files - last.filesProcessed) / files;
  return Math.ceil(last.durationMs + wholeMs * isNew);
}

/** Counts for a limited time; what was not reached is assumed to be like the rest. */
function countBriefly(filter: Filter, path: string, recursive: boolean): Count {
  const startedAt = performance.now();
  let count: Count = { files: 0, wanted: { files: 0, bytes: 0 } };
  for (const piece of listTree(path, recursive)) {
    count = add(count, countPiece(filter, piece, startedAt + MAX_MS));
    const isTelling = count.files >= MIN_COUNT.files || piece.begun >= MIN_COUNT.directories;
    if (performance.now() - startedAt < (isTelling ? ENOUGH_MS : MAX_MS)) continue;
    count = scale(count, 1 + piece.pending / piece.begun);
    break;
  }
  // A single file, or a path where nothing could be counted.
  return count.files > 0 ? count : { files: 1, wanted: { files: 1, bytes: toBytes(path) } };
}

function countPiece(filter: Filter, { directory, files }: TreePiece, endsAt: number): Count {
  const isWanted = filter.forDirectory(toPathText(directory));
  let count: Count = { files: 0, wanted: { files: 0, bytes: 0 } };
  for (const name of files) {
    const wanted = isWanted(toPathText(name))
      ? { files: 1, bytes: toBytes(joinPath(directory, name)) }
      : { files: 0, bytes: 0 };
    count = add(count, { files: 1, wanted });
    if (performance.now() > endsAt) return scale(count, files.length / count.files);
  }
  return count;
}

function add(a: Count, b: Count): Count {
  return {
    files: a.files + b.files,
    wanted: { files: a.wanted.files + b.wanted.files, bytes: a.wanted.bytes + b.wanted.bytes },
  };
}

function scale({ files, wanted }: Count, by: number): Count {
  return { files: files * by, wanted: { files: wanted.files * by, bytes: wanted.bytes * by } };
}

function toBytes(path: RawPath): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : 0;
  } catch (error) {
    // Not accessible; the sync itself will report it.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return 0;
  }
}
