import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract.ts';
import type { Claimed, SlotWish, SuspectLimit } from '../../store/contracts/task-contract.ts';
import type { Arrival } from './announced-work.ts';
import type { Slots } from './slots.ts';

export interface ClaimLoopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly workerId: string;
  readonly identity: string;
  readonly slots: Slots;
  /** Returns how many suspects a claim may take now; `undefined` is as many as there are slots. */
  getSuspectLimit(): SuspectLimit | undefined;
  /** Called with each claimed task. Must take the slot before it returns. */
  onClaimed(claimed: Claimed): void;
  /** Called when a claimed task had ended before it could start. */
  onSkipped(claimed: Claimed): void;
  report(error: unknown): void;
}

/** The poll interval of the loop: announcements are hints, so it polls anyway after this long. */
const POLL_INTERVAL_MS = 5000;
const ERROR_RETRY_MS = 500;
const BUSY_POLL_INTERVAL_MS = 250;

/**
 * Turns free slots into claimed tasks.
 *
 * It polls when work was announced, when a slot was freed while work may be waiting, and when a delayed task is due.
 * Requests to poll that arrive during a poll become one more poll.
 */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #stopped = false;
  /** Whether the last claim took all it could, so that there may be more. */
  #mayHaveMore = true;
  /** Whether a task may be waiting for its time. */
  #hasDelayed = true;
  #cancelTimer: (() => void) | undefined;
  /** Tasks that ended during a claim: they may be part of it. */
  readonly #ended = new Set<string>();

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.poll();
  }

  poll(why?: Arrival): void {
    if (this.#stopped) return;
    if (why === 'requeued' || why === 'adopted') this.#hasDelayed = true;
    this.#pollAgain = true;
    this.#polling ??= this.#pollUntilDone().finally(() => {
      this.#polling = undefined;
      if (this.#pollAgain) this.poll();
    });
  }

  onFreed(): void {
    if (this.#mayHaveMore) this.poll();
  }

  onEnded(taskId: string): void {
    if (this.#polling) this.#ended.add(taskId);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#polling;
    this.#cancelTimer?.();
  }

  async #pollUntilDone(): Promise<void> {
    this.#cancelTimer?.();
    let waitMs = POLL_INTERVAL_MS;
    try {
      while (this.#pollAgain && !this.#stopped) {
        this.#pollAgain = false;
        this.#mayHaveMore = await this.#claim();
      }
      waitMs = await this.#toWait();
    } catch (error) {
      this.#options.report(error);
      waitMs = ERROR_RETRY_MS;
    }
    if (!this.#stopped) this.#cancelTimer = this.#options.clock.after(waitMs, () => this.poll());
  }

  /** Claims until the queue or the slots run out; returns whether a freed slot may find more work. */
  async #claim(): Promise<boolean> {
    const { store, slots, workerId: worker, identity } = this.#options;
    for (;;) {
      const suspects = this.#options.getSuspectLimit();
      const max = slots.free;
      const free = slots.freeByTool();
      if (this.#stopped || Object.keys(free).length === 0) return true;
      slots.pauseWaiting();
      this.#ended.clear();
      let isHeldBack = false;
      const admits = (wish: SlotWish) => {
        const isAdmitted = slots.admits(wish);
        isHeldBack ||= !isAdmitted;
        return isAdmitted;
      };
      try {
        const claimed = await store.tasks.claim({
          ...{ worker, identity, free, max, admits },
          ...(suspects !== undefined && { suspects }),
        });
        // Announced work may be due in a moment: clocks of processes differ by some hundredths of a second.
        this.#hasDelayed ||= claimed.length === 0;
        // Tasks that must run alone start last, when the others have taken their slots.
        claimed.sort((a, b) => (a.task.losses ?? 0) - (b.task.losses ?? 0));
        for (const one of claimed) {
          if (this.#ended.has(one.task.taskId)) this.#options.onSkipped(one);
          else this.#options.onClaimed(one);
        }
        if (claimed.length < max) return isHeldBack || slots.hasFullTool || hasSuspect(claimed, suspects);
      } finally {
        slots.resumeWaiting();
      }
    }
  }

  async #toWait(): Promise<number> {
    const { store, identity } = this.#options;
    if (!this.#hasDelayed) return POLL_INTERVAL_MS;
    const { nextRunAt } = await store.tasks.backlog(identity);
    this.#hasDelayed = nextRunAt !== undefined;
    if (nextRunAt === undefined) return POLL_INTERVAL_MS;
    const leftMs = nextRunAt - store.time().now;
    // A task that is already due waits for a slot of its tool, and hides when the next task of another tool is due.
    return leftMs > 0 ? Math.min(POLL_INTERVAL_MS, leftMs) : BUSY_POLL_INTERVAL_MS;
  }
}

/** Whether the claim got a suspect, and so may have passed over others; one that got none has passed over none. */
function hasSuspect(claimed: readonly Claimed[], suspects: SuspectLimit | undefined): boolean {
  return suspects !== undefined && claimed.some(({ task }) => (task.losses ?? 0) >= suspects.losses);
}
