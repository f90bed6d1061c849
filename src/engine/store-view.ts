import type { Change, Store } from '../store/contract.ts';
import type { WaitingMessage } from '../store/contracts/outbox-contract.ts';
import type { Backlog } from '../store/contracts/task-contract.ts';
import type { ProcessGroupRef, WorkerInfo } from '../store/contracts/worker-contract.ts';
import type { ChangeRouter } from './change-router.ts';

/** A worker, and the process groups that its tasks have started. */
export interface WorkerView extends WorkerInfo {
  readonly groups: readonly ProcessGroupRef[];
}

/** How long a tool took, for one principal. */
export interface ToolRuns {
  readonly identity: string;
  readonly tool: string;
  readonly principal: string;
}

/** What the owner of a store may see of it beyond single tasks; no principal is asked for. */
export interface StoreView {
  /** Everybody who runs tasks of the store, of whichever program. */
  workers(): Promise<readonly WorkerView[]>;
  /** How much work of a program is waiting or under way. */
  backlog(identity: string): Promise<Backlog>;
  /** Run times of the last successful runs of a tool, at most 20, in ms. */
  durations(runs: ToolRuns): Promise<readonly number[]>;
  /** What has not reached the outside yet of what a task has to tell at its end. */
  undelivered(taskId: string): Promise<readonly WaitingMessage[]>;
  /** Calls back after changes of any task, in whichever process, until called off. Changes are hints: read again. */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
}

/** The view of a store's owner. */
export function toStoreView(store: Store, router: ChangeRouter): StoreView {
  return {
    async workers() {
      const workers = await store.workers.list();
      return Promise.all(
        workers.map(async (worker) => ({ ...worker, groups: await store.workers.groups(worker.workerId) })),
      );
    },
    backlog: (identity) => store.tasks.backlog(identity),
    durations: ({ identity, tool, principal }) => store.tasks.durations(identity, tool, principal),
    undelivered: (taskId) => store.outbox.waiting(taskId),
    onChange: (listener) => router.onAny(listener),
  };
}
