/**
 * The stored records of files, in one SQLite database that several processes may use at once.
 *
 * Each batch is one operation of the writer, so a killed scan leaves only complete batches. Nothing that was read is cached
 * between operations, because another process may have removed a directory meanwhile.
 */
import { openSqliteFile, type SqliteFile, type SqliteTransaction } from '../../app-kit/index.ts';
import { findDirectory, findOrMakeDirectory, toSubtree } from './directories.ts';
import { type RawPath, toRawPath } from './scan/raw-path.ts';
import { MONITOR_SCHEMA } from './schema.ts';

export interface KnownFile {
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly checksum: string;
  readonly priority: number;
}

export interface FileRecord extends KnownFile {
  readonly name: RawPath;
}

/** The changes of one batch of a directory's files. */
export interface FileChanges {
  readonly directory: RawPath;
  readonly kept: readonly FileRecord[];
  /** Files with the same content but a new priority. */
  readonly repriced: readonly { readonly name: RawPath; readonly priority: number }[];
  readonly dropped: readonly RawPath[];
}

export interface SyncRecord {
  readonly path: RawPath;
  readonly recursive: boolean;
  readonly outcome: 'done' | 'cancelled' | 'failed';
  readonly filesProcessed: number;
  readonly filesUpdated: number;
  readonly filesHashed: number;
  readonly bytesHashed: number;
  readonly durationMs: number;
  readonly endedAt: number;
}

type SyncRow = Omit<SyncRecord, 'path' | 'recursive'> & { path: string | Uint8Array; recursive: number };
type KnownRow = [at: number, bytes: number, mtimeMs: number, checksum: string, priority: number];

const PAGE = 1000;
const KEPT_SYNCS = 1000;
// Machines and disks change, so old syncs say less about the current speed.
const TOLD_SYNCS = 50;

const UPSERT = `INSERT INTO files (directory, name, bytes, mtime_ms, checksum, priority, synced_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (directory, name) DO UPDATE SET bytes = excluded.bytes, mtime_ms = excluded.mtime_ms,
    checksum = excluded.checksum, priority = excluded.priority, synced_at = excluded.synced_at`;
const DROP = 'DELETE FROM files WHERE directory = ? AND name = ?';
const SYNC_COLUMNS = `path, recursive, outcome, files_processed AS filesProcessed, files_updated AS filesUpdated,
  files_hashed AS filesHashed, bytes_hashed AS bytesHashed, duration_ms AS durationMs, ended_at AS endedAt`;

/** Opens the database; creates it when it is missing. */
export function openMonitorDatabase(path: string, create = true): MonitorDatabase {
  // `normal` is enough: what a crash of the machine loses is found again by the next sync.
  return new MonitorDatabase(openSqliteFile({ path, create, schema: MONITOR_SCHEMA, synchronous: 'normal' }));
}

export class MonitorDatabase {
  readonly path: string;
  readonly #db: SqliteFile;

  constructor(db: SqliteFile) {
    this.path = db.path;
    this.#db = db;
  }

  findDirectory(path: RawPath): number | undefined {
    return findDirectory(this.#db, path);
  }

  /** Lists the known subdirectories of a directory. */
  listDirectories(directory: number): { readonly id: number; readonly name: RawPath }[] {
    const rows = this.#db.all<{ id: number; name: string | Uint8Array }>(
      'SELECT id, name FROM directories WHERE parent = ?',
      directory,
    );
    return rows.map(({ id, name }) => ({ id, name: toName(name) }));
  }

  countFiles(directory?: number): number {
    const row =
      directory === undefined
        ? this.#db.get<{ n: number }>('SELECT count(*) AS n FROM files')
        : this.#db.get<{ n: number }>('SELECT count(*) AS n FROM files WHERE directory = ?', directory);
    return row?.n ?? 0;
  }

  /** Returns the records of these names, in their order. */
  lookUp(directory: number, names: readonly RawPath[]): (KnownFile | undefined)[] {
    const known: (KnownFile | undefined)[] = names.map((name) =>
      typeof name === 'string' ? undefined : this.getFile(directory, name),
    );
    const rows = this.#db.arrays(
      `SELECT json.key, bytes, mtime_ms, checksum, priority FROM json_each(?) AS json
       CROSS JOIN files WHERE files.directory = ? AND files.name = json.value`,
      JSON.stringify(names.map((name) => (typeof name === 'string' ? name : null))),
      directory,
    );
    for (const [at, bytes, mtimeMs, checksum, priority] of rows as KnownRow[]) {
      known[at] = { bytes, mtimeMs, checksum, priority };
    }
    return known;
  }

  getFile(directory: number, name: RawPath): KnownFile | undefined {
    return this.#db.get(
      'SELECT bytes, mtime_ms AS mtimeMs, priority, checksum FROM files WHERE directory = ? AND name = ?',
      directory,
      name,
    );
  }

  /** The names known in a directory, page by page. */
  *pageNames(directory: number): Generator<RawPath[]> {
    let after: RawPath | undefined;
    for (;;) {
      const rows = this.#db.all<{ name: string | Uint8Array }>(
        'SELECT name FROM files WHERE directory = ? AND name > ? ORDER BY name LIMIT ? + 0',
        directory,
        // Text sorts before blobs, and no name is empty.
        after ?? '',
        PAGE,
      );
      const names = rows.map(({ name }) => toName(name));
      if (names.length > 0) yield names;
      after = names.at(-1);
      if (after === undefined || names.length < PAGE) return;
    }
  }

  /** Returns the lowest priority of all files. */
  getLowestPriority(): number | undefined {
    return this.#db.get<{ priority: number }>('SELECT priority FROM files ORDER BY priority LIMIT 1')?.priority;
  }

  /** Returns how many files were dropped. */
  write({ directory, kept, repriced, dropped }: FileChanges): Promise<number> {
    return this.#db.write('monitor.write', (db) => {
      const id = kept.length > 0 ? findOrMakeDirectory(db, directory) : findDirectory(db, directory);
      if (id === undefined) return 0;
      const now = Date.now();
      for (const { name, bytes, mtimeMs, checksum, priority } of kept) {
        db.run(UPSERT, id, name, bytes, mtimeMs, checksum, priority, now);
      }
      for (const { name, priority } of repriced) {
        db.run('UPDATE files SET priority = ? WHERE directory = ? AND name = ?', priority, id, name);
      }
      return dropped.reduce((sum, name) => sum + db.run(DROP, id, name), 0);
    });
  }

  /** Removes a directory and all below it; returns how many files were removed. */
  async forgetDirectory(path: RawPath): Promise<number> {
    const removed = await this.#dropPages((db) => {
      const id = findDirectory(db, path);
      return id === undefined ? 0 : db.run(`${DROP_SOME} WHERE directory IN (${toSubtree()}) LIMIT ? + 0)`, id, PAGE);
    });
    await this.#db.write('monitor.forget', (db) => {
      const id = findDirectory(db, path);
      // The root row is never removed.
      if (id !== undefined) db.run(`DELETE FROM directories WHERE id <> 1 AND id IN (${toSubtree()})`, id);
    });
    return removed;
  }

  dropBelow(priority: number): Promise<number> {
    return this.#dropPages((db) => db.run(`${DROP_SOME} WHERE priority < ? LIMIT ? + 0)`, priority, PAGE));
  }

  /** Drops the files with the lowest priorities until `most` remain. */
  dropBeyond(most: number): Promise<number> {
    return this.#dropPages((db) => {
      const extra = this.countFiles() - most;
      if (extra <= 0) return 0;
      return db.run(`${DROP_SOME} ORDER BY priority LIMIT ? + 0)`, Math.min(extra, PAGE));
    });
  }

  async recordSync(sync: SyncRecord): Promise<void> {
    const { path, recursive, outcome, filesProcessed, filesUpdated, filesHashed, bytesHashed } = sync;
    await this.#db.write('monitor.sync', (db) => {
      const id = db.insert(
        `INSERT INTO syncs (path, recursive, outcome, files_processed, files_updated, files_hashed, bytes_hashed,
           duration_ms, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[path, Number(recursive), outcome, filesProcessed, filesUpdated, filesHashed, bytesHashed],
        ...[sync.durationMs, sync.endedAt],
      );
      db.run('DELETE FROM syncs WHERE id <= ?', id - KEPT_SYNCS);
    });
  }

  /** Returns the last sync of any path, or the last completed sync of one path. */
  getLastSync(of?: { readonly path: RawPath; readonly recursive: boolean }): SyncRecord | undefined {
    const row = of
      ? this.#db.get<SyncRow>(
          `SELECT ${SYNC_COLUMNS} FROM syncs WHERE path = ? AND recursive = ? AND outcome = 'done' ORDER BY id DESC LIMIT 1`,
          of.path,
          Number(of.recursive),
        )
      : this.#db.get<SyncRow>(`SELECT ${SYNC_COLUMNS} FROM syncs ORDER BY id DESC LIMIT 1`);
    return row && toSyncRecord(row);
  }

  /** Returns the completed syncs among the most recent ones of all paths, newest first. */
  listSyncs(): SyncRecord[] {
    const rows = this.#db.all<SyncRow>(`SELECT ${SYNC_COLUMNS} FROM syncs ORDER BY id DESC LIMIT ? + 0`, TOLD_SYNCS);
    return rows.map(toSyncRecord).filter(({ outcome }) => outcome === 'done');
  }

  /**
   * Runs `fn` while holding the database's write lock, so that no other process runs one at the same time. Nothing is written to
   * the database.
   */
  exclusively<T>(fn: () => T): Promise<T> {
    return this.#db.write('monitor.exclusive', fn);
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  // Deletes in pages, because one large transaction would block other users of the database.
  async #dropPages(drop: (db: SqliteTransaction) => number): Promise<number> {
    let total = 0;
    for (;;) {
      const dropped = await this.#db.write('monitor.drop', drop);
      total += dropped;
      if (dropped === 0) return total;
    }
  }
}

const DROP_SOME = 'DELETE FROM files WHERE (directory, name) IN (SELECT directory, name FROM files';

function toSyncRecord(row: SyncRow): SyncRecord {
  return { ...row, path: toName(row.path), recursive: Boolean(row.recursive) };
}

function toName(name: string | Uint8Array): RawPath {
  return typeof name === 'string' ? name : toRawPath(name);
}
