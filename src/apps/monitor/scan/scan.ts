/**
 * One pass over a file or a tree.
 *
 * Directories are walked one after the other; their files are processed in batches, a few concurrently, and each batch is
 * committed separately. However the scan ends, the database holds complete batches, and the next scan sees by size and time what
 * is done. What cannot be read is reported and keeps its records; only what is certain to be gone is removed.
 */
import { basename, dirname } from 'node:path';
import type { Filter } from '../config/filter.ts';
import type { KnownFile } from '../monitor-database.ts';
import type { Priorities } from '../priority.ts';
import { type BatchParts, type FileBatch, syncBatch } from './file-batch.ts';
import { forgetVanished, type OpenDirectory, recordUnreadable } from './forget-vanished.ts';
import { joinPath, type RawPath, toPathText } from './raw-path.ts';
import { Walk } from './walk.ts';
import type { WalkPiece } from './walk-thread.ts';

export interface ScanParts extends BatchParts {
  readonly filter: Filter;
  readonly priorities: Priorities;
  readonly recursive: boolean;
  readonly signal: AbortSignal;
  /** Called after each batch. */
  readonly onBatch: () => void | Promise<void>;
}

const BATCH_FILES = 256;
const BATCHES_PER_THREAD = 2;

export class Scan {
  readonly #parts: ScanParts;
  readonly #running = new Set<Promise<void>>();
  #root: RawPath | undefined;
  #current: OpenDirectory | undefined;

  constructor(parts: ScanParts) {
    this.#parts = parts;
  }

  async file(path: string): Promise<void> {
    const directory = dirname(path);
    const names = [basename(path)];
    const id = this.#parts.database.findDirectory(directory);
    await this.#start(directory, { names, known: this.#lookUp(id, names) });
    await this.#waitForBatches();
  }

  async directory(path: string): Promise<void> {
    this.#root = path;
    const { recursive, rehash, database, pool } = this.#parts;
    // In a known tree most files are unchanged, so there may be nothing to hash: read sizes and times while walking.
    const looks = !rehash && database.findDirectory(path) !== undefined;
    const walk = new Walk({ root: path, recursive, size: BATCH_FILES, looks });
    if (!looks) pool.warmUp();
    try {
      for await (const piece of walk.pieces(this.#parts.signal)) await this.#handlePiece(piece);
    } finally {
      await walk.close();
      await this.#waitForBatches();
    }
  }

  async #handlePiece({ directory, files, looks, end, ...piece }: WalkPiece): Promise<void> {
    const { report } = this.#parts;
    if (this.#current?.path !== directory) this.#current = this.#open(directory);
    const { id, directories } = this.#current;
    for (const name of piece.directories) directories.push(name);
    report.noteLinks(piece.links);
    for (const name of piece.loops) {
      report.warn(joinPath(directory, name), 'is a symbolic link that leads back to itself; not followed');
    }
    const known = this.#lookUp(id, files);
    this.#current.matched += known.filter((one) => one !== undefined).length;
    if (files.length > 0) await this.#start(directory, { names: files, known, looks });
    if (end !== undefined) await this.#finishDirectory(this.#current, end);
  }

  #open(path: RawPath): OpenDirectory {
    const { database } = this.#parts;
    const id = database.findDirectory(path);
    return { path, id, before: id === undefined ? 0 : database.countFiles(id), matched: 0, directories: [] };
  }

  async #finishDirectory(directory: OpenDirectory, end: string): Promise<void> {
    this.#current = undefined;
    if (end === 'whole') await forgetVanished(this.#parts, directory);
    else
      await recordUnreadable(this.#parts, { path: directory.path, code: end, isRoot: directory.path === this.#root });
  }

  #lookUp(id: number | undefined, names: readonly RawPath[]): readonly (KnownFile | undefined)[] {
    return id === undefined ? [] : this.#parts.database.lookUp(id, names);
  }

  /** Starts a batch as soon as there is room for it. */
  async #start(directory: RawPath, files: Pick<FileBatch, 'names' | 'known' | 'looks'>): Promise<void> {
    const { filter, priorities, pool, signal } = this.#parts;
    while (this.#running.size >= pool.size * BATCHES_PER_THREAD) await Promise.race(this.#running);
    signal.throwIfAborted();
    const text = toPathText(directory);
    const isWanted = filter.forDirectory(text);
    const toPriority = priorities.forDirectory(text);
    const batch = syncBatch(this.#parts, { ...files, directory, isWanted, toPriority })
      .then(() => this.#parts.onBatch())
      .finally(() => this.#running.delete(batch));
    this.#running.add(batch);
    // Avoids an unhandled rejection; the next `await` of the batch gets the error.
    batch.catch(() => {});
  }

  async #waitForBatches(): Promise<void> {
    const ended = await Promise.allSettled(this.#running);
    this.#parts.signal.throwIfAborted();
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
