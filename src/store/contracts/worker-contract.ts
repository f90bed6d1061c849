import type { Lease } from './task-contract.ts';

/** The registry of workers, and of the process groups they started. */
export interface WorkerRegistry {
  /**
   * Reserves the place of the one detached worker per identity and machine before it is spawned (`starting`). A worker of
   * the same or a newer build keeps the place; one of an older build is set to `draining` and the place is given away.
   * `starter`, the process that spawns the worker, identifies the machine and is stored until the worker has registered.
   */
  reserve(worker: NewWorker & { readonly starter?: ProcessRef }): Promise<ReserveResult>;

  /**
   * Makes a worker `ready`. An inline worker is added; a detached worker must have a reservation: `false` when that is gone.
   */
  register(worker: NewWorker & { readonly process: ProcessRef }): Promise<boolean>;

  /** Records one heartbeat. Returns the worker's state, or `undefined` when it was removed. */
  renew(workerId: string, leaseMs: number): Promise<WorkerState | undefined>;

  /**
   * Removes a worker that holds no lease, together with its process groups. With `ifIdle` only when its identity has nothing
   * queued either; a draining worker does not wait for the queue.
   */
  retire(workerId: string, options: { readonly ifIdle: boolean }): Promise<boolean>;

  list(identity?: string): Promise<WorkerInfo[]>;

  /** Returns the leases that the store records for a worker. */
  leases(workerId: string): Promise<Lease[]>;

  /**
   * Adds to how long a worker has been watched without a heartbeat, so that short observations of several processes add up.
   *
   * Time is added only for an observer that has seen everything added before, so that no second counts twice. A changed
   * `sign` counts as a heartbeat: the sum restarts. When the sum reaches `stallMs` the worker is marked as stalled, and each
   * task it holds gets the event `stalled`. A heartbeat removes sum and mark. Returns `undefined` and changes nothing when
   * the worker has sent a heartbeat since `until` was read, or is gone.
   */
  observe(look: SilentLook): Promise<Silence | undefined>;

  /**
   * Sets a worker that is considered dead to `draining`, so that its place is free while its tasks still wait for `recover`.
   * `false`, without a change, when it has sent a heartbeat since `until` was read, or is gone.
   */
  drain(workerId: string, until: number): Promise<boolean>;

  /**
   * Records a process group before its program starts, so that it can be killed when the worker is dead. The record outlives
   * the recovery of the worker: only processes of the same host can kill the group. It replaces an earlier record with the
   * same worker and pid.
   */
  track(group: ProcessGroupRef): Promise<void>;

  /** Removes a process group from the record. Call it after killing the group or seeing that it is gone. */
  untrack(workerId: string, pid: number): Promise<void>;

  groups(workerId: string): Promise<ProcessGroupRef[]>;

  /**
   * Lists the process groups of a host whose worker is gone: it was recovered, or was gone already when the group was
   * tracked.
   */
  orphanedGroups(host: string): Promise<ProcessGroupRef[]>;
}

/** Whether a worker runs in the user's process or in a process of its own. */
export type WorkerKind = 'inline' | 'detached';

/** Whether a worker is being spawned, claims tasks, or only finishes the tasks it has. */
export type WorkerState = 'starting' | 'ready' | 'draining';

/** Which version of a program a worker runs. */
export interface Build {
  readonly id: string;
  /** Later builds replace earlier ones. */
  readonly at: number;
}

/** A process, distinguishable from a later one with the same pid by its start time. */
export interface ProcessRef {
  readonly host: string;
  readonly pid: number;
  readonly startTime: string;
}

/** A worker to register. */
export interface NewWorker {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly build: Build;
  readonly leaseMs: number;
}

/** A worker as recorded in the registry. */
export interface WorkerInfo {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly state: WorkerState;
  readonly build: Build;
  /** Set once the worker has registered. */
  readonly process?: ProcessRef;
  /** The process that spawns it, while it is `starting`. When that process is gone, the place is free. */
  readonly starter?: ProcessRef;
  /** When the lease ends; changes with every heartbeat. */
  readonly until: number;
  /** How long it may go without a heartbeat; unknown for workers registered by an older version. */
  readonly leaseMs?: number;
  /** What was observed since its last heartbeat. */
  readonly silence?: Silence;
}

/** How long a worker has been watched without a heartbeat. */
export interface Silence {
  readonly silentMs: number;
  /** Rises whenever time is added. */
  readonly looks: number;
  /** When the observation began, by the clock of the store. */
  readonly since: number;
  /** The last observer. */
  readonly by: string;
  /** Set once the worker is marked as stalled: how long it had been watched by then. */
  readonly stalledMs?: number;
}

/** One observation of a worker whose heartbeat has not changed. */
export interface SilentLook {
  readonly workerId: string;
  /** The `until` that was read and has not changed since. */
  readonly until: number;
  readonly by: string;
  /** The value of `looks` that this observer saw last. */
  readonly after?: number;
  /** Evidence that the worker is alive although it sends no heartbeat: any value that changes whenever it makes progress. */
  readonly sign?: string;
  /** From how much silence on, in ms, the worker counts as stalled. */
  readonly stallMs: number;
  /**
   * How long this observer has watched since its last observation. Called inside the transaction, when it is known how long
   * the store made it wait. It must not wait, and may be called more than once.
   */
  readonly toWatchedMs: () => number;
}

/** Whether the place of a detached worker was free. */
export type ReserveResult = { readonly kind: 'reserved' } | { readonly kind: 'exists'; readonly worker: WorkerInfo };

/** A process group that a task has started, and the host that has to kill it. */
export interface ProcessGroupRef extends ProcessRef {
  readonly workerId: string;
  readonly taskId: string;
}

/**
 * How long an orphaned process group stays on record.
 *
 * Limited by age, because it is never certain that a host is gone for good: machines may share a name, so a record of
 * another boot may be an earlier boot of this machine or a live machine elsewhere, and a container gets a new name each
 * time. A week is long enough for a machine that was cut off, and the few records of machines that never return do no harm.
 */
export const ORPHAN_KEEP_MS = 604_800_000;
