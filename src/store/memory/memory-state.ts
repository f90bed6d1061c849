import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { ProcessGroupRef, WorkerInfo } from '../worker-contract.ts';
import { ChangeFeed } from './change-feed.ts';
import type { HoldRow } from './memory-holds.ts';
import { MessageTable } from './message-table.ts';
import { TaskTable } from './task-table.ts';

/** Everything one memory store knows. A verb reads and changes it without waiting, which makes it atomic. */
export class MemoryState {
  readonly clock: Clock;
  readonly feed: ChangeFeed;
  readonly tasks: TaskTable;
  readonly messages = new MessageTable();
  /** By task, oldest first. */
  readonly holds = new Map<string, HoldRow>();
  readonly workers = new Map<string, WorkerInfo>();
  readonly groups = new Map<string, ProcessGroupRef[]>();
  /** Run times by identity and tool. */
  readonly durations = new Map<string, readonly number[]>();
  #closed = false;

  constructor(options: { readonly clock: Clock; readonly onError: (error: unknown) => void }) {
    this.clock = options.clock;
    this.feed = new ChangeFeed(options.onError);
    this.tasks = new TaskTable(this.feed);
  }

  get now(): number {
    return this.clock.now();
  }

  /** The state, while the store is open. */
  open(): this {
    if (this.#closed) throw new TaskError('STORE_CLOSED', 'The store has been closed; open a new one');
    return this;
  }

  close(): void {
    this.#closed = true;
    this.feed.clear();
  }

  removeWorker(workerId: string): void {
    this.workers.delete(workerId);
    this.groups.delete(workerId);
  }
}
