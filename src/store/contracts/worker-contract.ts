import type { Lease } from './task-contract.ts';

/** Who runs work, and which process groups they started. */
export interface WorkerRegistry {
  /**
   * Keeps the place of the one detached worker of an identity on one machine before it is spawned (`starting`). A worker
   * of the same or a newer build stays; one of an older build is set to `draining` and the place is given. Who starts the
   * worker says which machine it is, and is kept with the place until it has registered.
   */
  reserve(worker: NewWorker & { readonly starter?: ProcessRef }): Promise<ReserveResult>;

  /**
   * Makes a worker `ready`. An inline one is added; a detached one must have its reservation, and `false` says
   * that it is gone.
   */
  register(worker: NewWorker & { readonly process: ProcessRef }): Promise<boolean>;

  /** One heartbeat. Returns the worker's state, or `undefined` when it has been removed. */
  renew(workerId: string, leaseMs: number): Promise<WorkerState | undefined>;

  /**
   * Removes a worker that holds no lease, with its process groups; with `ifIdle` only when its identity has nothing queued
   * either.
   * A draining worker never waits for the queue.
   */
  retire(workerId: string, options: { readonly ifIdle: boolean }): Promise<boolean>;

  list(identity?: string): Promise<WorkerInfo[]>;

  /** What the store says that a worker holds. */
  leases(workerId: string): Promise<Lease[]>;

  /**
   * Keeps for how long a worker has been watched without a beat, so that many short looks add up to one long one, in
   * whichever processes.
   *
   * Time is added only for an observer that has seen all that was added before, so that no second counts twice. Another
   * `sign` than the one before counts as a beat: the sum begins anew. When it reaches `stallMs` the worker is marked, and
   * each task it holds gets the event `stalled`. A beat takes sum and mark away.
   * `undefined`, and nothing changes, when the worker has beaten since `until` was read, or is gone.
   */
  observe(look: SilentLook): Promise<Silence | undefined>;

  /**
   * Makes a worker `draining` that is taken to be dead, so that its place is free while its tasks still wait for `recover`.
   * `false`, and nothing changes, when it has beaten since `until` was read, or is gone.
   */
  drain(workerId: string, until: number): Promise<boolean>;

  /**
   * Remembers a process group before its program starts, so that it can be ended when the worker is dead. It stays on
   * record when the worker is recovered: only processes of its own host can end it. One of the same worker and pid takes
   * the place of the one before.
   */
  track(group: ProcessGroupRef): Promise<void>;

  /** To be called by whoever has ended a group, or has seen that it is gone. */
  untrack(workerId: string, pid: number): Promise<void>;

  groups(workerId: string): Promise<ProcessGroupRef[]>;

  /**
   * Process groups of a host that nobody is in charge of any more: their worker was recovered, or was gone already when
   * they were tracked.
   */
  orphanedGroups(host: string): Promise<ProcessGroupRef[]>;
}

/** Whether a worker lives in the user's process or in one of its own. */
export type WorkerKind = 'inline' | 'detached';

/** Whether a worker is being started, takes tasks, or only ends those it has. */
export type WorkerState = 'starting' | 'ready' | 'draining';

/** Which version of a program a worker runs. */
export interface Build {
  readonly id: string;
  /** Later builds replace earlier ones. */
  readonly at: number;
}

/** A process that can be told from a later one with the same pid. */
export interface ProcessRef {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
}

/** A worker that registers. */
export interface NewWorker {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly build: Build;
  readonly leaseMs: number;
}

/** A worker as the registry knows it. */
export interface WorkerInfo {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly state: WorkerState;
  readonly build: Build;
  /** Set once the worker has registered. */
  readonly process?: ProcessRef;
  /** Who starts it, while it is `starting`: a place whose starter is gone is nobody's. */
  readonly starter?: ProcessRef;
  /** Moves with every heartbeat. */
  readonly until: number;
  /** How long it may be silent; unknown of those that an older version has registered. */
  readonly leaseMs?: number;
  /** What has been observed since its last heartbeat. */
  readonly silence?: Silence;
}

/** For how long a worker has been watched without a beat. */
export interface Silence {
  readonly silentMs: number;
  /** Rises with every time that is added. */
  readonly looks: number;
  /** When the watch began, by the clock of the store. */
  readonly since: number;
  /** Who looked last. */
  readonly by: string;
  /** Once it is marked as stalled: how long it had been watched by then. */
  readonly stalledMs?: number;
}

/** One look of an observer at a worker whose heartbeat has not moved. */
export interface SilentLook {
  readonly workerId: string;
  /** The `until` that was seen and has not moved since. */
  readonly until: number;
  readonly by: string;
  /** `looks` as this observer saw it last. */
  readonly after?: number;
  /** What shows that the worker lives although it does not beat: it is another one each time it moves. */
  readonly sign?: string;
  /** From how much silence on the worker counts as stalled. */
  readonly stallMs: number;
  /**
   * How long this observer has watched since its last look; asked inside the transaction, when it is known how long the
   * store had to be waited for. It must not wait, and may be asked more than once.
   */
  readonly toWatchedMs: () => number;
}

/** Whether the place of a detached worker was free. */
export type ReserveResult = { readonly kind: 'reserved' } | { readonly kind: 'exists'; readonly worker: WorkerInfo };

/** A process group that a task has started, and who has to end it. */
export interface ProcessGroupRef extends ProcessRef {
  readonly workerId: string;
  readonly taskId: string;
}

/**
 * How long a process group that nobody has ended stays on record.
 *
 * By age, because it is never certain that a host is gone for good: machines may share a name, so one of another boot may be
 * an earlier life of this machine or a live one elsewhere, and a container is called otherwise each time. A week is
 * long enough for a machine that was cut off, and the few records of those that never come back do no harm meanwhile.
 */
export const ORPHAN_KEEP_MS = 604_800_000;
