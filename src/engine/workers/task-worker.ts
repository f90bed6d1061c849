import type { Clock } from '../../clock.ts';
import { TaskError } from '../../errors.ts';
import { currentProcess } from '../../process/process-ref.ts';
import type { Change, Store } from '../../store/contract.ts';
import type { Claimed, Lease } from '../../store/contracts/task-contract.ts';
import type { Build, WorkerKind, WorkerState } from '../../store/contracts/worker-contract.ts';
import type { AttemptHost, RunningAttempt } from '../attempts/attempt.ts';
import { isCurrentLease, leaseLostError, mayMeanLoss } from '../attempts/lease.ts';
import { ALONE_FROM_LOSSES, type Place, type Placement } from '../attempts/placement.ts';
import { type RunningMark, RunningTools, readRunningTools } from '../attempts/running-tools.ts';
import type { ChangeRouter } from '../change-router.ts';
import { isFinalRefusal } from '../final-refusal.ts';
import { startHeartbeat } from '../heartbeat/start-heartbeat.ts';
import type { LimitSettings } from '../limit-options.ts';
import type { ParsedTool } from '../tool.ts';
import { findRunnable } from './announced-work.ts';
import { ClaimLoop } from './claim-loop.ts';
import { createFairShare } from './fair-share.ts';
import { LeaseAudit } from './lease-audit.ts';
import { type Slot, Slots } from './slots.ts';

export interface TaskWorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly router: ChangeRouter;
  readonly workerId: string;
  readonly identity: string;
  readonly kind: WorkerKind;
  readonly build: Build;
  readonly tools: ReadonlyMap<string, ParsedTool>;
  readonly concurrency: number;
  readonly limits: LimitSettings;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly parkMs: number;
  readonly abortGraceMs: number;
  readonly placement: Placement;
  /** Creates the attempt for a claimed task: in this process, or in a process of its own. */
  startAttempt(
    host: AttemptHost,
    tool: ParsedTool,
    work: { claimed: Claimed; lease: Lease; place: Place },
  ): RunningAttempt;
  /** Called when the worker has lost its place and all it held; with a reason, no other worker of this process can get one. */
  onLost(reason?: TaskError): void;
  /** Called when the worker was told to drain and has nothing left to run. */
  onDrained(): void;
  report(error: unknown): void;
}

/** How long to wait before a store that failed is tried again. */
const ERROR_RETRY_MS = 500;

/**
 * Runs the tasks of one identity in this process.
 *
 * registered ──▶ claiming ──▶ draining (a newer build took over) ──▶ gone
 *                   └──▶ stopping (shut down) ──▶ gone
 *                   └──▶ lost (its heartbeat stopped for too long, or the store refuses it for good, as after a newer build
 *                        took over): it may write nothing any more
 */
export class TaskWorker {
  readonly #options: TaskWorkerOptions;
  readonly #slots: Slots;
  readonly #claims: ClaimLoop;
  readonly #runningTools: RunningTools;
  readonly #audit: LeaseAudit;
  readonly #running = new Set<{ readonly attempt: RunningAttempt; readonly done: Promise<void> }>();
  /** The newest attempt of each task; a parked one may still be stopping when the next one starts. */
  readonly #newest = new Map<string, RunningAttempt>();
  #idleSince: number;
  #starting: Promise<boolean> | undefined;
  #heartbeat: { stop(): Promise<void> } | undefined;
  #unsubscribe: (() => void) | undefined;
  #state: 'ready' | 'draining' | 'stopping' | 'lost' = 'ready';

  constructor(given: TaskWorkerOptions) {
    const options = { ...given, report: (error: unknown) => this.#report(error, given) };
    this.#options = options;
    this.#slots = new Slots(options.concurrency, options.tools, createFairShare(options.limits));
    this.#runningTools = new RunningTools([...options.tools.keys()]);
    this.#idleSince = options.clock.monotonic();
    this.#audit = new LeaseAudit({
      ...options,
      running: () => [...this.#running].map(({ attempt }) => attempt),
      check: (attempt) => void this.#check(attempt),
    });
    this.#claims = new ClaimLoop({
      ...options,
      // At most one: each would have to wait until the one before it is over.
      getSuspectLimit: () => (options.placement.canMove ? undefined : { losses: ALONE_FROM_LOSSES, max: 1 }),
      slots: this.#slots,
      onClaimed: (claimed) => this.#start(claimed),
      onSkipped: (claimed) => void this.#leaveQueue(claimed),
    });
  }

  /** Names of the tools that are running in this thread. */
  get runningTools(): readonly string[] {
    return readRunningTools(this.#runningTools.shared);
  }

  /** Whether it has no attempts, not even one that waits for an answer. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** How long it has been idle. */
  get idleMs(): number {
    return this.isIdle ? this.#options.clock.monotonic() - this.#idleSince : 0;
  }

  /** Takes its place and starts to claim; `false` when its reservation is gone. */
  start(): Promise<boolean> {
    this.#starting ??= this.#takePlace();
    return this.#starting;
  }

  async #takePlace(): Promise<boolean> {
    const { kind, router } = this.#options;
    const heartbeat = startHeartbeat({
      ...this.#options,
      onBlocked: kind === 'detached' ? 'kill' : 'surrender',
      watched: { ...this.#runningTools.shared, movable: this.#findMovable() },
      onBlocking: (tools) => this.#options.placement.noteBlocking(tools),
      onState: (state) => this.#onState(state),
    });
    let askedAt = 0;
    try {
      // A worker process that cannot load all its code must not take a place; its starter notices the failure.
      if (kind === 'detached') await heartbeat.loaded;
      askedAt = performance.now();
      if (!(await this.#register())) {
        await heartbeat.stop();
        return false;
      }
    } catch (error) {
      await heartbeat.stop();
      throw error;
    }
    this.#heartbeat = heartbeat;
    heartbeat.begin(performance.now() - askedAt);
    this.#unsubscribe = router.onAny((changes) => this.#onChanges(changes));
    this.#claims.start();
    this.#audit.start();
    return true;
  }

  #findMovable(): string[] {
    const { tools, placement } = this.#options;
    return [...tools.values()].filter((tool) => placement.isMovable(tool)).map(({ name }) => name);
  }

  /**
   * Registers the worker. Its starter may be gone, and the reservation with it; then the place is reserved again if it is
   * free.
   */
  async #register(): Promise<boolean> {
    const { store, workerId, identity, kind, build, leaseMs } = this.#options;
    const process = currentProcess();
    const worker = { workerId, identity, kind, build, leaseMs };
    if (await store.workers.register({ ...worker, process })) return true;
    const isTurnedAway = (await store.workers.list(identity)).some((one) => one.workerId === workerId);
    if (kind !== 'detached' || isTurnedAway) return false;
    const { kind: found } = await store.workers.reserve({ ...worker, starter: process });
    return found === 'reserved' && store.workers.register({ ...worker, process });
  }

  /** Polls for work now, without waiting for the change to be announced. */
  poll(): void {
    this.#claims.poll();
  }

  /** Claims nothing more, finishes what it runs, and gives up its place. */
  async drain(): Promise<void> {
    // A place that is still being taken must be given up too; the caller of `start` gets the error if that failed.
    await this.#starting?.catch(() => {});
    this.#onState('draining');
  }

  /**
   * Called when the store accepts nothing from this process any more, whichever part noticed: attempts could not write an
   * outcome, so they stop.
   */
  onStoreRefused(why: TaskError): void {
    if (this.#state !== 'stopping' && this.#state !== 'lost') this.#lose(why);
  }

  /** Finishes what ends within `graceMs`, hands back the rest, and gives up its place. */
  async stop(graceMs: number): Promise<void> {
    if (this.#state !== 'lost') this.#state = 'stopping';
    await this.#claims.stop();
    // A place that is still being taken must be given up too; the caller of `start` gets the error if that failed.
    await this.#starting?.catch(() => {});
    await this.#finishWithin(graceMs);
    await Promise.all([...this.#running].map(({ attempt }) => attempt.handBack()));
    await this.#leave();
    await this.#retire();
  }

  /** Gives up its place if its identity has nothing to do. */
  async retireIfIdle(): Promise<boolean> {
    const { store, workerId, report } = this.#options;
    try {
      if (!this.isIdle || !(await store.workers.retire(workerId, { ifIdle: true }))) return false;
    } catch (error) {
      // A store that cannot be written for a moment costs an idle worker only time.
      report(error);
      return false;
    }
    this.#state = 'stopping';
    await this.#claims.stop();
    await this.#leave();
    return true;
  }

  async #finishWithin(graceMs: number): Promise<void> {
    let cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(graceMs, resolve);
    });
    const waiting = [...this.#running].filter(({ attempt }) => attempt.isWaiting);
    await Promise.all(waiting.map(({ attempt }) => attempt.handBack()));
    await Promise.race([grace, this.#allDone()]);
    cancel();
  }

  async #leave(): Promise<void> {
    await this.#allDone();
    this.#audit.stop();
    this.#unsubscribe?.();
    await this.#heartbeat?.stop();
  }

  async #allDone(): Promise<void> {
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  #start(claimed: Claimed): void {
    const { tools, workerId } = this.#options;
    const { taskId, fence, principal, tool: name } = claimed.task;
    const tool = tools.get(name);
    // A claim may return after the heartbeat reported the leases as lost, with tasks that others hold by now.
    if (!tool || this.#state === 'lost') return;
    const lease: Lease = { taskId, fence, worker: workerId };
    this.#audit.note(lease);
    const slot = this.#slots.acquire({ principal, tool: name });
    const place = this.#options.placement.choose(tool, claimed.task);
    const mark = place === 'apart' ? undefined : this.#runningTools.mark(name);
    const host = place === 'alone' ? this.#toExclusiveHost(slot) : this.#toHost(slot, mark);
    const attempt = this.#options.startAttempt(host, tool, { claimed, lease, place });
    mark?.start();
    const run = attempt.run().then(() => this.#leaveQueue(claimed));
    const done = run.finally(() => {
      this.#running.delete(running);
      this.#idleSince = this.#options.clock.monotonic();
      if (this.#newest.get(taskId) === attempt) this.#newest.delete(taskId);
      mark?.stop();
      slot.release();
      this.#claims.onFreed();
      if (this.isIdle && this.#state === 'draining') void this.#drained();
    });
    const running = { attempt, done };
    this.#running.add(running);
    this.#newest.set(taskId, attempt);
  }

  /**
   * Reports that the work of an attempt has stopped, so that the next task of its queue may start. A worker that shuts
   * down need not: its queues are freed with its place.
   */
  async #leaveQueue({ task: { taskId, fence, queue } }: Claimed): Promise<void> {
    const { store, clock, workerId, report } = this.#options;
    const isHere = () => this.#state === 'ready' || this.#state === 'draining';
    while (queue !== undefined && isHere()) {
      try {
        if (await store.tasks.release({ taskId, fence, worker: workerId }, { how: 'leave-queue' })) this.#claims.poll();
        return;
      } catch (error) {
        report(error);
        await new Promise<void>((resolve) => clock.after(ERROR_RETRY_MS, resolve));
      }
    }
  }

  /** For an attempt that runs alone: no other runs beside it until it is over, not even while it waits for an answer. */
  #toExclusiveHost(slot: Slot): AttemptHost {
    const onBegin = (signal: AbortSignal) => slot.acquireExclusive(signal);
    return { ...this.#toHost(slot), onBegin, onWait: () => {}, onResume: async () => {} };
  }

  #toHost(slot: Slot, mark?: RunningMark): AttemptHost {
    const { store, clock, router, parkMs, abortGraceMs } = this.#options;
    return {
      store,
      clock,
      router,
      parkMs,
      abortGraceMs,
      onReturned: () => mark?.stop(),
      onWait: () => {
        mark?.stop();
        slot.release();
        this.#claims.onFreed();
      },
      onResume: async (signal) => {
        await slot.reacquire(signal);
        mark?.start();
      },
      report: (error) => this.#options.report(error),
    };
  }

  #onChanges(changes: readonly Change[]): void {
    for (const type of findRunnable(changes)) this.#claims.poll(type);
    for (const change of changes) {
      const { taskId, type } = change;
      if (type === 'ended') this.#onEnded(taskId);
      const attempt = this.#newest.get(taskId);
      if (attempt?.hasConcluded === false && mayMeanLoss(change)) void this.#check(attempt);
    }
  }

  #onEnded(taskId: string): void {
    this.#claims.onEnded(taskId);
    // The next task of its queue is not announced by itself.
    if (hasQueues(this.#options)) this.#claims.poll();
  }

  /** Checks whether an attempt still holds its task. A newer attempt must not be judged by what is read here. */
  async #check(attempt: RunningAttempt): Promise<void> {
    const { lease } = attempt;
    try {
      const task = await this.#options.store.tasks.get({ taskId: lease.taskId });
      if (!isCurrentLease(task, lease)) attempt.abandon(leaseLostError(task));
    } catch (error) {
      this.#options.report(error);
    }
  }

  #onState(state: WorkerState | undefined): void {
    if (this.#state === 'stopping' || this.#state === 'lost') return;
    if (state === 'draining' && this.#state !== 'draining') {
      this.#state = 'draining';
      void this.#claims.stop().then(() => (this.isIdle ? this.#drained() : undefined));
    } else if (state === undefined) {
      this.#lose(new TaskError('LEASE_LOST', 'the worker was taken for dead, and its tasks were given to others'));
    }
  }

  #lose(loss: TaskError): void {
    this.#state = 'lost';
    void this.#claims.stop();
    for (const { attempt } of this.#running) attempt.abandon(loss);
    const reason = isFinalRefusal(loss) ? loss : undefined;
    void this.#leave().then(() => this.#options.onLost(reason));
  }

  /** Handles the errors of all parts of the worker. */
  #report(error: unknown, { report }: TaskWorkerOptions): void {
    const isFinal = isFinalRefusal(error);
    // Every writer gets the same refusal; it is reported once.
    if (isFinal && this.#state === 'lost') return;
    report(error);
    this.#audit.requirePass();
    if (isFinal) this.onStoreRefused(error);
  }

  async #drained(): Promise<void> {
    if (this.#state !== 'draining') return;
    this.#state = 'stopping';
    await this.#leave();
    await this.#retire();
    this.#options.onDrained();
  }

  /** Gives up its place. If the store does not accept that, the place is cleared like that of a dead worker. */
  async #retire(): Promise<void> {
    const { store, workerId } = this.#options;
    await store.workers.retire(workerId, { ifIdle: false }).catch((error) => this.#options.report(error));
  }
}

/** Checked every time: tools may be added while the worker runs. */
function hasQueues({ tools }: Pick<TaskWorkerOptions, 'tools'>): boolean {
  return [...tools.values()].some(({ queue }) => queue !== undefined);
}
