import type { MonitorConfig } from '../config/config.ts';
import type { Filter } from '../config/filter.ts';
import type { MonitorDatabase, SyncRecord } from '../monitor-database.ts';
import { createPriorities } from '../priority.ts';
import { HashPool } from './hash-pool.ts';
import { listTree } from './list-tree.ts';
import { Scan } from './scan.ts';
import { resolveTarget, type ScanTarget } from './scan-target.ts';
import { SyncReport, type SyncResult, toReason } from './sync-report.ts';
import { createTurn } from './turn.ts';

export interface SyncOptions {
  /** A file or a directory: an absolute path, one that begins with `~/`, or a `file:` URL. */
  readonly path: string;
  /** Whether directories below are scanned too. @default false */
  readonly recursive?: boolean;
  /** Hashes every file, even if its size and time are unchanged. @default false */
  readonly rehash?: boolean;
  /** Ends the sync after the current batches; completed batches stay. */
  readonly signal?: AbortSignal;
  /** Called after each batch, with a value that never decreases. */
  readonly onProgress?: (progress: SyncProgress) => void | Promise<void>;
}

export interface SyncProgress {
  /** Progress as a share 0..1. */
  readonly value: number;
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

export interface SyncParts {
  readonly database: MonitorDatabase;
  readonly config: MonitorConfig;
  readonly filter: Filter;
}

/** Syncs a path. A missing path is removed from the database; one that may not be read is refused with a message. */
export async function syncPath(parts: SyncParts, options: SyncOptions): Promise<SyncResult> {
  const report = new SyncReport();
  const target = await resolveTarget(options.path, parts.config);
  switch (target.kind) {
    case 'refused':
      return report.toFailure(target.path, `${target.path} cannot be synced: ${target.why}`);
    case 'unreadable':
      return report.toFailure(target.path, `Failed to sync: ${toReason(target.code)}`);
    case 'missing':
      return forget(parts.database, target.path, report);
    case 'file':
    case 'directory':
      await scan(parts, options, { target, report });
      return report.toResult(target.path);
  }
}

async function forget(database: MonitorDatabase, path: string, report: SyncReport): Promise<SyncResult> {
  const slash = path.lastIndexOf('/');
  const change = { directory: path.slice(0, slash) || '/', dropped: [path.slice(slash + 1)], kept: [], repriced: [] };
  const removed = (await database.write(change)) + (await database.forgetDirectory(path));
  if (removed === 0) return report.toFailure(path, `${path} does not exist, and nothing is known of it`);
  report.count('removed', removed);
  report.warn(path, 'does not exist any more');
  return report.toResult(path);
}

interface ScanOrder {
  readonly target: ScanTarget;
  readonly report: SyncReport;
}

async function scan(parts: SyncParts, options: SyncOptions, order: ScanOrder): Promise<void> {
  const { target, report } = order;
  const { recursive = false, rehash = false, signal = new AbortController().signal } = options;
  const pool = new HashPool();
  const stop = () => pool.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const onBatch = await createProgress(parts.database, options, order);
    const room = { left: toRoom(parts) };
    const priorities = createPriorities(parts.config.priority);
    const pass = new Scan({ ...parts, pool, report, rehash, recursive, signal, onBatch, room, priorities });
    await (target.kind === 'file' ? pass.file(target.path) : pass.directory(target.path));
    await enforceLimits(parts, report);
    await note(parts.database, { ...order, recursive, outcome: report.hasFailed ? 'failed' : 'done' });
  } catch (error) {
    if (signal.aborted) await note(parts.database, { ...order, recursive, outcome: 'cancelled' });
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await pool.close();
  }
}

function toRoom({ config, database }: SyncParts): number {
  return config.max_documents === 0 ? Number.POSITIVE_INFINITY : config.max_documents - database.countFiles();
}

/** Takes the total from the last sync of the same path, or counts the names first. */
async function createProgress(database: MonitorDatabase, options: SyncOptions, { target, report }: ScanOrder) {
  const { recursive = false, signal, onProgress } = options;
  if (onProgress === undefined) return () => {};
  const { path } = target;
  const last = database.getLastSync({ path, recursive });
  let total = last?.filesProcessed ?? (target.kind === 'file' ? 1 : await countAll(path, recursive, signal));
  let value = 0;
  return async () => {
    const done = report.processed;
    total = Math.max(total, done);
    value = Math.max(value, total === 0 ? 1 : done / total);
    await onProgress({ value, done, total, message: `Processing ${done} of ${total} files...` });
  };
}

async function countAll(path: string, recursive: boolean, signal: AbortSignal | undefined): Promise<number> {
  let count = 0;
  const turn = createTurn();
  for (const { files } of listTree(path, recursive)) {
    count += files.length;
    await turn();
    signal?.throwIfAborted();
  }
  return count;
}

async function enforceLimits({ config, database }: SyncParts, report: SyncReport): Promise<void> {
  if (config.min_priority > 0) report.count('removed', await database.dropBelow(config.min_priority));
  if (config.max_documents > 0) report.count('removed', await database.dropBeyond(config.max_documents));
}

function note(
  database: MonitorDatabase,
  { target, report, recursive, outcome }: ScanOrder & Pick<SyncRecord, 'recursive' | 'outcome'>,
): Promise<void> {
  return database.recordSync({
    path: target.path,
    recursive,
    outcome,
    filesProcessed: report.processed,
    filesUpdated: report.updated,
    filesHashed: report.hashed,
    bytesHashed: report.hashedBytes,
    durationMs: report.durationMs,
    endedAt: Date.now(),
  });
}
