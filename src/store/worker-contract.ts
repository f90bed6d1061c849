/** Who runs work, and which process groups they started. */

export interface WorkerRegistry {
  /**
   * Keeps the place of the one detached worker of an identity before it is spawned (`starting`). A worker of the
   * same or a newer build stays; one of an older build is set to `draining` and the place is given.
   */
  reserve(worker: NewWorker): Promise<ReserveResult>;

  /**
   * Makes a worker `ready`. An inline one is added; a detached one must have its reservation, and `false` says
   * that it is gone.
   */
  register(worker: NewWorker & { readonly process: ProcessRef }): Promise<boolean>;

  /** One heartbeat. Returns the worker's state, or `undefined` when it has been removed. */
  renew(workerId: string, leaseMs: number): Promise<WorkerState | undefined>;

  /**
   * Removes a worker that holds no lease; with `ifIdle` only when its identity has nothing queued either.
   * A draining worker never waits for the queue.
   */
  retire(workerId: string, options: { readonly ifIdle: boolean }): Promise<boolean>;

  list(identity?: string): Promise<WorkerInfo[]>;

  /**
   * Remembers a process group before its program starts, so that whoever recovers the worker can end it. One of the
   * same worker and pid takes the place of the one before.
   */
  track(group: ProcessGroupRef): Promise<void>;
  untrack(workerId: string, pid: number): Promise<void>;
  groups(workerId: string): Promise<ProcessGroupRef[]>;
}

export type WorkerKind = 'inline' | 'detached';

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

export interface NewWorker {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly build: Build;
  readonly leaseMs: number;
}

export interface WorkerInfo {
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly state: WorkerState;
  readonly build: Build;
  /** Set once the worker has registered. */
  readonly process?: ProcessRef;
  /** Moves with every heartbeat. */
  readonly until: number;
}

export type ReserveResult = { readonly kind: 'reserved' } | { readonly kind: 'exists'; readonly worker: WorkerInfo };

export interface ProcessGroupRef extends ProcessRef {
  readonly workerId: string;
  readonly taskId: string;
}
