import type { Clock } from '../clock.ts';
import { TaskError } from '../errors.ts';
import { currentProcess } from '../process/process-ref.ts';
import type { Change, Store } from '../store/contract.ts';
import type { Claimed, Lease } from '../store/task-contract.ts';
import type { Build, WorkerKind, WorkerState } from '../store/worker-contract.ts';
import type { AttemptHost, RunningAttempt } from './attempt.ts';
import type { ChangeRouter } from './change-router.ts';
import { ClaimLoop } from './claim-loop.ts';
import { startHeartbeat } from './heartbeat.ts';
import { isHeld, mayMeanLoss, toLoss } from './lease.ts';
import { type Slot, Slots } from './slots.ts';
import type { ParsedTool } from './tool.ts';

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
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly parkMs: number;
  readonly abortGraceMs: number;
  /** Makes the attempt for a claimed task: here, or in a process of its own. */
  startAttempt(host: AttemptHost, tool: ParsedTool, work: { claimed: Claimed; lease: Lease }): RunningAttempt;
  /** The worker has lost its place and everything it held. */
  onLost(): void;
  /** It was told to drain and has nothing left. */
  onDrained(): void;
  report(error: unknown): void;
}

/**
 * Runs the tasks of one identity in this process.
 *
 * registered ──▶ claiming ──▶ draining (a newer build took over) ──▶ gone
 *                   └──▶ stopping (shut down) ──▶ gone
 *                   └──▶ lost (its heart stopped for too long): it may write nothing any more
 */
export class TaskWorker {
  readonly #options: TaskWorkerOptions;
  readonly #slots: Slots;
  readonly #claims: ClaimLoop;
  readonly #running = new Set<{ readonly attempt: RunningAttempt; readonly done: Promise<void> }>();
  /** The newest attempt of each task; one that was parked may still be on its way out when the next one begins. */
  readonly #newest = new Map<string, RunningAttempt>();
  #idleSince: number;
  #starting: Promise<boolean> | undefined;
  #heartbeat: { stop(): Promise<void> } | undefined;
  #unsubscribe: (() => void) | undefined;
  #state: 'ready' | 'draining' | 'stopping' | 'lost' = 'ready';

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency, options.tools);
    this.#idleSince = options.clock.monotonic();
    this.#claims = new ClaimLoop({
      ...options,
      slots: this.#slots,
      onClaimed: (claimed) => this.#start(claimed),
    });
  }

  /** Whether it runs nothing, not even a question's wait. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** How long it has been idle. */
  get idleMs(): number {
    return this.isIdle ? this.#options.clock.monotonic() - this.#idleSince : 0;
  }

  /** Takes its place and begins to claim; `false` when its reservation is gone. */
  start(): Promise<boolean> {
    this.#starting ??= this.#takePlace();
    return this.#starting;
  }

  async #takePlace(): Promise<boolean> {
    const { store, workerId, identity, kind, build, leaseMs, router } = this.#options;
    const process = currentProcess();
    if (!(await store.workers.register({ workerId, identity, kind, build, leaseMs, process }))) return false;
    this.#heartbeat = startHeartbeat({
      ...this.#options,
      onBlocked: kind === 'detached' ? 'kill' : 'surrender',
      onState: (state) => this.#onState(state),
    });
    this.#unsubscribe = router.onAny((changes) => this.#onChanges(changes));
    this.#claims.start();
    return true;
  }

  /** Looks for work now, without waiting for the change to be announced. */
  look(): void {
    this.#claims.look();
  }

  /** Finishes what ends within `graceMs`, hands back the rest, and gives up its place. */
  async stop(graceMs: number): Promise<void> {
    if (this.#state !== 'lost') this.#state = 'stopping';
    await this.#claims.stop();
    // A place that is only just being taken must be given up too; whoever takes it hears of a failure.
    await this.#starting?.catch(() => {});
    await this.#finishWithin(graceMs);
    await Promise.all([...this.#running].map(({ attempt }) => attempt.handBack()));
    await this.#leave();
    await this.#retire();
  }

  /** Gives up its place if its identity has nothing to do. */
  async retireIfIdle(): Promise<boolean> {
    if (!this.isIdle || !(await this.#options.store.workers.retire(this.#options.workerId, { ifIdle: true })))
      return false;
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
    this.#unsubscribe?.();
    await this.#heartbeat?.stop();
  }

  async #allDone(): Promise<void> {
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  #start(claimed: Claimed): void {
    const { tools, workerId } = this.#options;
    const { taskId, fence, tool: name } = claimed.task;
    const tool = tools.get(name);
    // A claim may come back after the heartbeat said that all is lost, with tasks that others have by now.
    if (!tool || this.#state === 'lost') return;
    const lease: Lease = { taskId, fence, worker: workerId };
    const slot = this.#slots.take(name);
    const attempt = this.#options.startAttempt(this.#toHost(slot), tool, { claimed, lease });
    const done = attempt.run().finally(() => {
      this.#running.delete(running);
      this.#idleSince = this.#options.clock.monotonic();
      if (this.#newest.get(taskId) === attempt) this.#newest.delete(taskId);
      slot.give();
      this.#claims.onFreed();
      if (this.isIdle && this.#state === 'draining') void this.#drained();
    });
    const running = { attempt, done };
    this.#running.add(running);
    this.#newest.set(taskId, attempt);
  }

  #toHost(slot: Slot): AttemptHost {
    const { store, clock, router, parkMs, abortGraceMs } = this.#options;
    return {
      store,
      clock,
      router,
      parkMs,
      abortGraceMs,
      onWait: () => {
        slot.give();
        this.#claims.onFreed();
      },
      onGoOn: (signal) => slot.retake(signal),
      report: (error) => this.#options.report(error),
    };
  }

  #onChanges(changes: readonly Change[]): void {
    for (const change of changes) {
      const { taskId, type } = change;
      if (type === 'submitted' || type === 'requeued') this.#claims.look(type);
      else if (type === 'ended') this.#claims.onEnded(taskId);
      const attempt = this.#newest.get(taskId);
      if (attempt?.hasConcluded === false && mayMeanLoss(change)) void this.#check(attempt);
    }
  }

  /** Looks whether the task of an attempt is ours still. A newer attempt must not be judged by what is read here. */
  async #check(attempt: RunningAttempt): Promise<void> {
    const { lease } = attempt;
    try {
      const task = await this.#options.store.tasks.get({ taskId: lease.taskId });
      if (!isHeld(task, lease)) attempt.lose(toLoss(task));
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
      this.#state = 'lost';
      const loss = new TaskError('LEASE_LOST', 'the worker was taken for dead, and its tasks were given to others');
      void this.#claims.stop();
      for (const { attempt } of this.#running) attempt.lose(loss);
      void this.#leave().then(() => this.#options.onLost());
    }
  }

  async #drained(): Promise<void> {
    if (this.#state !== 'draining') return;
    this.#state = 'stopping';
    await this.#leave();
    await this.#retire();
    this.#options.onDrained();
  }

  /** A place that the store does not take back is cleared away like that of a dead worker. */
  async #retire(): Promise<void> {
    const { store, workerId } = this.#options;
    await store.workers.retire(workerId, { ifIdle: false }).catch((error) => this.#options.report(error));
  }
}
