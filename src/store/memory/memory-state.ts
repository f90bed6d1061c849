import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import type { WorkerInfo } from '../contracts/worker-contract.ts';
import type { SilenceRow } from '../decide-worker.ts';
import { type KeptTime, StoreClock, type StoreTime } from '../store-clock.ts';
import { ChangeFeed } from './change-feed.ts';
import type { HoldRow } from './memory-holds.ts';
import type { ProgramRow } from './memory-programs.ts';
import type { SessionTable } from './memory-sessions.ts';
import { MessageTable } from './message-table.ts';
import { TaskTable } from './tasks/task-table.ts';
import { GroupTable } from './workers/group-table.ts';

/** All data of one memory store. A verb reads and changes it synchronously, which makes it atomic. */
export class MemoryState {
  readonly feed: ChangeFeed;
  readonly tasks: TaskTable;
  readonly messages = new MessageTable();
  /** By task, oldest first. */
  readonly holds = new Map<string, HoldRow>();
  /** By principal. */
  readonly sessions: SessionTable = new Map();
  readonly workers = new Map<string, WorkerInfo>();
  /** By identity. */
  readonly programs = new Map<string, ProgramRow>();
  readonly groups = new GroupTable();
  readonly silences = new Map<string, SilenceRow>();
  /** Run times by identity, tool and principal. */
  readonly durations = new Map<string, readonly number[]>();
  readonly #clock: StoreClock;
  #kept: KeptTime | undefined;
  #closed = false;

  constructor(options: { readonly clock: Clock; readonly onError: (error: unknown) => void }) {
    this.#clock = new StoreClock(options.clock);
    this.feed = new ChangeFeed(options.onError);
    this.tasks = new TaskTable(this.feed);
  }

  get now(): number {
    return this.time().now;
  }

  time(): StoreTime {
    if (this.#clock.isDue(this.#kept)) this.#kept = this.#clock.move(this.#kept);
    return this.#clock.time();
  }

  /** Returns the state; throws when the store was closed. */
  open(): this {
    if (this.#closed) throw new TaskError('STORE_CLOSED', 'The store has been closed; open a new one');
    return this;
  }

  close(): void {
    this.#closed = true;
    this.feed.clear();
  }

  removeWorker(workerId: string): void {
    for (const row of this.tasks.serialQueues.takeLeaving(workerId)) this.tasks.leaveQueue(row);
    this.workers.delete(workerId);
    this.silences.delete(workerId);
  }
}
