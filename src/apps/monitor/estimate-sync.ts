import { countFiles } from './count-files.ts';
import type { MonitorDatabase } from './monitor-database.ts';

const LONGEST_COUNT_MS = 150;
// What a file takes where nothing has been measured yet.
const MS_PER_FILE = 0.1;

/** From the last sync of the same path; else from the number of files, as far as it can be counted in a moment. */
export function estimateSync(
  database: MonitorDatabase,
  { path, recursive }: { readonly path: string; readonly recursive: boolean },
): number {
  const last = database.getLastSync({ path, recursive });
  if (last) return Math.ceil(last.durationMs);
  const other = database.getLastSync();
  const pace = other && other.filesHashed > 0 ? other.durationMs / other.filesProcessed : MS_PER_FILE;
  return Math.ceil(countBriefly(path, recursive) * pace);
}

function countBriefly(path: string, recursive: boolean): number {
  const endsAt = performance.now() + LONGEST_COUNT_MS;
  let count = 1;
  for (const found of countFiles(path, recursive)) {
    count = Math.max(count, found);
    if (performance.now() > endsAt) break;
  }
  return count;
}
