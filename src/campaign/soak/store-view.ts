import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTaskError } from '../../errors.ts';
import { isAlive, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { DATABASE_FILE } from '../../store/sqlite/directory.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';

/** A PostgreSQL store used only by the soak. */
export interface SoakDatabase {
  readonly url: string;
  readonly schema: string;
}

/**
 * The store of a Holdfast server, accessed from outside: its size, and its worker processes.
 *
 * Servers are started with a separate store directory for the soak, so pruning and killing here never affect a server in real
 * use.
 */
export class StoreView {
  readonly #root: string;
  readonly #database: SoakDatabase | undefined;
  #path: string | undefined;
  #store: Store | undefined;

  constructor(root: string, database?: SoakDatabase) {
    this.#root = root;
    this.#database = database;
  }

  /** Whether the server has created a store yet. */
  get isThere(): boolean {
    this.#path ??= findDatabase(this.#root);
    return this.#path !== undefined;
  }

  /** Size in bytes of the database and its write-ahead log. */
  size(): number | undefined {
    if (!this.isThere) return undefined;
    const files = [this.#path, `${this.#path}-wal`].map((path) => statSync(String(path), { throwIfNoEntry: false }));
    return files.reduce((total, file) => total + (file?.size ?? 0), 0);
  }

  /** Detached worker processes that are running now; the serving process is not included. */
  async workers(): Promise<readonly ProcessRef[]> {
    const store = await this.#open();
    const all = (await store?.workers.list()) ?? [];
    return all.filter(isRunning).map(({ process }) => process);
  }

  /**
   * Removes tasks that ended longer ago than this. In a run of hours their TTL does it; a soak of minutes would only see a
   * growing store.
   */
  async prune(keepMs: number): Promise<void> {
    const store = await this.#open();
    const before = Date.now() - keepMs;
    await store?.tasks.sweep({
      expiresBefore: before,
      endedBefore: before,
      tombstonesBefore: before,
      limit: PRUNED_AT_ONCE,
    });
  }

  async close(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  async #open(): Promise<Store | undefined> {
    if (this.#database) this.#store ??= await openInDatabase(this.#database);
    else if (this.isThere) this.#store ??= await openIfSame(String(this.#path));
    return this.#store;
  }
}

/** The server may not have created it yet. */
async function openInDatabase(database: SoakDatabase): Promise<Store | undefined> {
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
  try {
    return await openPostgresStore({ ...database, migrate: false });
  } catch (error) {
    if (isTaskError(error)) return undefined;
    throw error;
  }
}

/**
 * Opens a store that has our schema. One of another version is not opened, so that it is not changed under its server; only its
 * size is measured.
 */
async function openIfSame(path: string): Promise<Store | undefined> {
  try {
    const look = await openSqliteStore({ path, create: false, readOnly: true });
    await look.close();
    return await openSqliteStore({ path, create: false });
  } catch (error) {
    if (isTaskError(error)) return undefined;
    throw error;
  }
}

const PRUNED_AT_ONCE = 1000;

function isRunning(worker: WorkerInfo): worker is WorkerInfo & Required<Pick<WorkerInfo, 'process'>> {
  return worker.kind === 'detached' && worker.process !== undefined && isAlive(worker.process) !== false;
}

function findDatabase(root: string): string | undefined {
  const base = join(root, 'holdfast');
  try {
    const names = readdirSync(base).map((name) => join(base, name, DATABASE_FILE));
    return names.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  } catch {
    return undefined;
  }
}
