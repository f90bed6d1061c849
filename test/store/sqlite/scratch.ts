import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { SqliteStoreOptions } from '../../../src/store/sqlite/store-options.ts';
import { makeTaskId } from '../../../src/task/id.ts';
import type { NewTask, Task } from '../../../src/task/record.ts';

export const WORKER = {
  workerId: 'w1',
  identity: 'reports',
  kind: 'inline',
  build: { id: 'b1', at: 1 },
  leaseMs: 60_000,
  process: { host: 'here', pid: 1, startTime: 'boot' },
} as const;

/** A database file for each test, and stores on it that are closed afterwards. */
export class StoreScratch {
  directory = '';
  readonly #opened: Store[] = [];

  constructor() {
    beforeEach(async () => {
      this.directory = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
    });
    afterEach(async () => {
      await Promise.all(this.#opened.splice(0).map((store) => store.close()));
      await rm(this.directory, { recursive: true });
    });
  }

  get path(): string {
    return join(this.directory, 'tasks.db');
  }

  async open(options: SqliteStoreOptions = {}): Promise<Store> {
    const store = await openSqliteStore({ path: this.path, synchronous: 'normal', ...options });
    this.#opened.push(store);
    return store;
  }
}

export function toNewTask(over: Partial<NewTask> = {}): NewTask {
  return {
    taskId: makeTaskId(Date.now()),
    tool: 'render',
    args: { year: 2025 },
    principal: 'ada',
    identity: 'reports',
    ttlMs: 60_000,
    pollIntervalMs: 1000,
    idempotent: true,
    maxAttempts: 3,
    deliver: [],
    ...over,
  };
}

export async function submit(store: Store, over: Partial<NewTask> = {}): Promise<Task> {
  const result = await store.tasks.create(toNewTask(over), { queueLimit: 100_000 });
  if (result.kind !== 'created') throw new Error(`The task was not created: ${result.kind}`);
  return result.task;
}

/** Submits a task and ends it. */
export async function finish(store: Store, over: Partial<NewTask> = {}): Promise<Task> {
  const task = await submit(store, over);
  await store.tasks.settle({ taskId: task.taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
  return task;
}
