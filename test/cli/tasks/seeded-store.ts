import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lease, openSqliteStore, type Store, type Task } from 'holdfast';
import { makeTaskId } from '../../../src/task/id.ts';
import type { NewTask } from '../../../src/task/record.ts';
import { type CliResult, runCli } from '../run-cli.ts';
import { runHere } from '../run-here.ts';

const IDENTITY = 'test-program';
const WORKER = 'w1';

/** A real store on disk, a worker to move its tasks, and the command line beside it. */
export interface SeededStore {
  readonly folder: string;
  readonly path: string;
  readonly store: Store;
  /** Runs a command of `holdfast tasks` on this store. */
  cli(...args: string[]): Promise<CliResult>;
  /** The same in this process, which is much faster. */
  here(...args: string[]): Promise<CliResult>;
  add(task?: Partial<NewTask>): Promise<Task>;
  /** Claims the only queued task of a tool. */
  claim(tool: string): Promise<Lease>;
  get(taskId: string): Promise<Task>;
  close(): Promise<void>;
}

export async function openSeededStore(): Promise<SeededStore> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
  const path = join(folder, 'tasks.db');
  const store = await openSqliteStore({ path });
  await store.workers.register({
    workerId: WORKER,
    identity: IDENTITY,
    kind: 'inline',
    build: { id: 'b1', at: 1 },
    leaseMs: 60_000,
    process: { host: 'test', pid: process.pid, startTime: 'test' },
  });
  return {
    folder,
    path,
    store,
    cli: (...args) => runCli(['tasks', ...args, '--store', path]),
    here: (...args) => runHere(['tasks', ...args, '--store', path]),
    add: (task) => add(store, task),
    async claim(tool) {
      const [claimed] = await store.tasks.claim({ worker: WORKER, identity: IDENTITY, free: { [tool]: 1 }, max: 1 });
      if (!claimed) throw new Error(`no task of ${tool} is queued`);
      return { taskId: claimed.task.taskId, fence: claimed.task.fence, worker: WORKER };
    },
    async get(taskId) {
      const task = await store.tasks.get({ taskId });
      if (!task) throw new Error(`there is no task ${taskId}`);
      return task;
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function add(store: Store, task: Partial<NewTask> = {}): Promise<Task> {
  const whole: NewTask = {
    taskId: makeTaskId(Date.now()),
    tool: 'render',
    args: { year: 2025 },
    principal: 'local',
    identity: IDENTITY,
    ttlMs: 3_600_000,
    pollIntervalMs: 1000,
    idempotent: false,
    maxAttempts: 3,
    deliver: [],
    ...task,
  };
  const created = await store.tasks.create(whole, { queueLimit: 1000 });
  if (created.kind !== 'created') throw new Error(`the task was not created: ${created.kind}`);
  return created.task;
}
