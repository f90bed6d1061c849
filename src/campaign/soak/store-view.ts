import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTaskError } from '../../errors.ts';
import { isAlive, type ProcessRef } from '../../process/process-ref.ts';
import type { Store } from '../../store/contract.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';
import { DATABASE_FILE } from '../../store/sqlite/directory.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';

/** A store in PostgreSQL that is for the soak alone. */
export interface SoakDatabase {
  readonly url: string;
  readonly schema: string;
}

/**
 * The store of a Holdfast server, seen from outside: its size, and the processes of its workers.
 *
 * Servers are started with a directory of the soak's own for their stores, so what is pruned and killed here is never
 * that of a server in real use.
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

  /** Whether the server has made a store by now. */
  get isThere(): boolean {
    this.#path ??= findDatabase(this.#root);
    return this.#path !== undefined;
  }

  /** Bytes of the database and its log of changes. */
  size(): number | undefined {
    if (!this.isThere) return undefined;
    const files = [this.#path, `${this.#path}-wal`].map((path) => statSync(String(path), { throwIfNoEntry: false }));
    return files.reduce((total, file) => total + (file?.size ?? 0), 0);
  }

  /** Worker processes that run now, the serving process itself left out. */
  async workers(): Promise<readonly ProcessRef[]> {
    const store = await this.#open();
    const all = (await store?.workers.list()) ?? [];
    return all.filter(isRunning).map(({ process }) => process);
  }

  /**
   * Drops what ended longer ago than this. In hours the TTL of the tasks does so; a soak of minutes would see a store that
   * only grows.
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

/** The server may not have made it yet. */
async function openInDatabase(database: SoakDatabase): Promise<Store | undefined> {
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
  try {
    return await openPostgresStore({ ...database, migrate: false });
  } catch (error) {
    if (isTaskError(error)) return undefined;
    throw error;
  }
}

/** Opens a store that has our schema: one of another version is not changed under its server, and is looked at from outside only. */
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
