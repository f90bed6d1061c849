import assert from 'node:assert/strict';
import type { Store } from '../../store/contract.ts';
import type { Claimed, ClaimRequest, Lease } from '../../store/contracts/task-contract.ts';
import type { NewWorker, ProcessRef } from '../../store/contracts/worker-contract.ts';
import { makeTaskId } from '../../task/id.ts';
import type { NewTask, Task } from '../../task/record.ts';
import type { FakeClock } from '../fake-clock.ts';

/** Opens a fresh and empty store that uses `clock`. */
export type OpenStore = (clock: FakeClock) => Promise<Store>;

/** One requirement for every store, with the test that checks it. */
export interface ContractCase {
  readonly title: string;
  readonly run: (scene: Scene) => Promise<void>;
}

export const IDENTITY = 'reports';
export const TOOL = 'render';

/** A store under test, with the setup steps that most cases share. */
export class Scene {
  readonly store: Store;
  readonly clock: FakeClock;
  #workers = 0;
  #worker: string | undefined;

  constructor(store: Store, clock: FakeClock) {
    this.store = store;
    this.clock = clock;
  }

  toNewTask(over: Partial<NewTask> = {}): NewTask {
    return {
      taskId: makeTaskId(this.clock.now()),
      tool: TOOL,
      args: { year: 2025 },
      principal: 'ada',
      identity: IDENTITY,
      ttlMs: 60_000,
      pollIntervalMs: 1000,
      idempotent: true,
      maxAttempts: 3,
      deliver: [],
      ...over,
    };
  }

  async submit(over: Partial<NewTask> = {}): Promise<Task> {
    const result = await this.store.tasks.create(this.toNewTask(over), { queueLimit: 100_000 });
    assert.equal(result.kind, 'created');
    return result.kind === 'created' ? result.task : assert.fail();
  }

  toWorker(over: Partial<NewWorker> = {}): NewWorker & { readonly process: ProcessRef } {
    this.#workers += 1;
    return {
      workerId: `worker-${this.#workers}`,
      identity: IDENTITY,
      kind: 'inline',
      build: { id: 'build-1', at: 1 },
      leaseMs: 5000,
      process: { host: 'host', pid: 4000 + this.#workers, startTime: 'boot+1' },
      ...over,
    };
  }

  /** Registers an inline worker. */
  async startWorker(over: Partial<NewWorker> = {}): Promise<string> {
    const worker = this.toWorker(over);
    assert.equal(await this.store.workers.register(worker), true);
    return worker.workerId;
  }

  claim(worker: string, over: Partial<ClaimRequest> = {}): Promise<Claimed[]> {
    return this.store.tasks.claim({ worker, identity: IDENTITY, free: { [TOOL]: 100 }, max: 100, ...over });
  }

  /** Claims this task, which must be the next one in the queue of its tool. */
  async take(task: Task, worker: string): Promise<{ lease: Lease; claimed: Claimed }> {
    const free = { [task.tool]: 1 };
    const [claimed, ...others] = await this.claim(worker, { identity: task.identity, free, max: 1 });
    assert.ok(claimed, 'the task is not runnable');
    assert.deepEqual([claimed.task.taskId, others.length], [task.taskId, 0]);
    return { lease: { taskId: task.taskId, fence: claimed.task.fence, worker }, claimed };
  }

  /** Creates a task and claims it, with the given worker or a shared default. */
  async begin(over: Partial<NewTask> = {}, worker?: string): Promise<Lease> {
    this.#worker ??= await this.startWorker();
    const { lease } = await this.take(await this.submit(over), worker ?? this.#worker);
    return lease;
  }

  async read(taskId: string): Promise<Task> {
    return (await this.store.tasks.get({ taskId })) ?? assert.fail(`task ${taskId} is not there`);
  }

  /** Returns the types of a task's events, in order. */
  async history(taskId: string): Promise<string[]> {
    return (await this.store.tasks.events(taskId, 0, 1000)).map((event) => event.type);
  }

  /** Returns everything about a task that a write could change. */
  async snapshot(taskId: string): Promise<unknown> {
    return [await this.store.tasks.get({ taskId }), await this.store.tasks.events(taskId, 0, 1000)];
  }

  async untilOf(workerId: string): Promise<number> {
    const worker = (await this.store.workers.list()).find((one) => one.workerId === workerId);
    return worker?.until ?? assert.fail(`${workerId} is not registered`);
  }

  /** Recovers a worker that has stopped sending heartbeats. */
  async recoverWorker(workerId: string) {
    const until = await this.untilOf(workerId);
    return this.store.tasks.recover({ workerId, until, reason: 'The worker died', delaysMs: [1000] });
  }
}
