/** How long a sync will take: its files are counted first, and past syncs say how fast that many are done. */
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

/** What lies at a path: how many files, and what of them is to be hashed. */
interface Count {
  readonly files: number;
  readonly wanted: Amount;
}

// The caller waits for it, and nobody else is served meanwhile.
const ENOUGH_MS = 150;
const MAX_MS = 1000;
// What is less than this says nothing of the rest, and is counted even when it takes longer.
const MIN_COUNT = { files: 1000, directories: 100 };

/** A path that was synced before takes as long as then, and what is new or is to be hashed again on top. */
export function estimateSync({ database, filter }: EstimateParts, { path, recursive, rehash }: EstimateOrder): number {
  const { files, wanted } = countBriefly(filter, path, recursive);
  const wholeMs = toDurationMs(wanted, toPace(database.listSyncs()));
  const last = database.getLastSync({ path, recursive });
  if (!last || rehash) return Math.ceil(wholeMs);
  const isNew = Math.max(0, files - last.filesProcessed) / files;
  return Math.ceil(last.durationMs + wholeMs * isNew);
}

/** A count that takes too long is broken off: what was not looked at is taken to be like the rest. */
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
  // A file, or nothing that could be counted.
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
    // It may not be looked at; the sync itself will say so.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return 0;
  }
}
