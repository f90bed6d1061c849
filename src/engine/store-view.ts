import type { Change, Store } from '../store/contract.ts';
import type { WaitingMessage } from '../store/contracts/outbox-contract.ts';
import type { Backlog } from '../store/contracts/task-contract.ts';
import type { ProcessGroupRef, WorkerInfo } from '../store/contracts/worker-contract.ts';
import type { ChangeRouter } from './change-router.ts';

/** A worker, and the process groups that its tasks have started. */
export interface WorkerView extends WorkerInfo {
  readonly groups: readonly ProcessGroupRef[];
}

/** Selects the runs of one tool, for one principal. */
export interface ToolRuns {
  readonly identity: string;
  readonly tool: string;
  readonly principal: string;
}

/** What the owner of a store may read beyond single tasks; no principal is checked. */
export interface StoreView {
  /** Returns all workers that run tasks of the store, of any program. */
  workers(): Promise<readonly WorkerView[]>;
  /** Returns how much work of a program is waiting or running. */
  backlog(identity: string): Promise<Backlog>;
  /** Returns the run times of the last successful runs of a tool, at most 20, in ms. */
  durations(runs: ToolRuns): Promise<readonly number[]>;
  /** Returns the messages about the end of a task that have not been delivered yet. */
  undelivered(taskId: string): Promise<readonly WaitingMessage[]>;
  /**
   * Calls the listener after changes of any task, in any process; returns a function that unsubscribes. Changes are
   * hints: read again.
   */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
}

/** Returns the view of a store's owner. */
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
