import type { Store } from '../../store/contract.ts';
import type { EngineParts } from '../engine-parts.ts';
import { HoldKeeper } from '../holds/held-task.ts';
import { Courier } from './courier.ts';
import { isStoreIdle } from './is-store-idle.ts';
import { Supervisor } from './supervisor.ts';
import { Sweeper } from './sweeper.ts';

// A process that lives only briefly should not waste what it has observed.
const PASSES_WHILE_WATCHING = 4;
/** While nothing can need care, passes are this many times rarer; the next announced change ends that. */
const IDLE_INTERVAL_FACTOR = 10;
const BATCH = 500;

type AfterPass = () => Promise<boolean>;

/**
 * What every process on a store does for all of it: recover dead workers, cancel unattended calls, end tasks that were
 * not started in time, deliver the outbox, sweep.
 *
 * Each part is safe to run in any number of processes at once.
 */
export class Housekeeping {
  readonly #parts: EngineParts;
  readonly #supervisor: Supervisor;
  readonly #holds: HoldKeeper;
  readonly #courier: Courier;
  readonly #sweeper: Sweeper;
  #cancel: (() => void) | undefined;
  #startNextPass: (() => void) | undefined;
  #stopListening: (() => void) | undefined;
  #isIdle = false;
  #passStartedAt = 0;
  #stopped = false;
  #pass: Promise<void> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor(parts);
    this.#holds = new HoldKeeper(parts);
    this.#courier = new Courier({ ...parts, handlers: parts.outbox, holdMs: parts.outboxVisibilityMs });
    this.#sweeper = new Sweeper({ ...parts, everyMs: parts.sweepMs });
  }

  /**
   * Checks for dead workers before it resolves, and regularly from then on. `afterPass` is called after every pass and
   * returns whether the next pass must come soon.
   */
  async start(afterPass: AfterPass = async () => false): Promise<void> {
    if (this.#stopped) return;
    this.#stopListening = this.#parts.router.onAny(() => this.#onChange());
    this.#courier.start();
    this.#sweeper.start();
    this.#pass = this.#runPass(afterPass);
    await this.#pass;
  }

  /** Starts the next pass now, unless one is running. */
  passNow(): void {
    if (this.#stopped || this.#startNextPass === undefined) return;
    this.#cancel?.();
    this.#startNextPass();
  }

  /** Delivers the outbox messages that are due now. */
  deliver(): Promise<void> {
    return this.#courier.deliver();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening?.();
    this.#cancel?.();
    await Promise.all([this.#pass, this.#courier.stop(), this.#sweeper.stop()]);
    // Background work writes to the store until it is done.
    await this.#supervisor.settled();
  }

  async #runPass(afterPass: AfterPass): Promise<void> {
    let isWatching = false;
    this.#passStartedAt = this.#parts.clock.monotonic();
    // Set before anything is read: a change that is announced meanwhile must not be overlooked.
    this.#isIdle = true;
    try {
      isWatching = await this.#supervisor.pass(() => this.#onFreed(afterPass));
      await this.#holds.pass();
      await expireLate(this.#parts.store);
      const isWanted = await afterPass();
      this.#isIdle &&= !isWatching && !isWanted && (await isStoreIdle(this.#parts));
    } catch (error) {
      this.#isIdle = false;
      this.#parts.report(error);
    }
    if (this.#stopped) return;
    this.#startNextPass = () => {
      this.#startNextPass = undefined;
      this.#pass = this.#runPass(afterPass);
    };
    const { superviseMs } = this.#parts;
    this.#scheduleNextPass(
      isWatching ? superviseMs / PASSES_WHILE_WATCHING : superviseMs * (this.#isIdle ? IDLE_INTERVAL_FACTOR : 1),
    );
  }

  #scheduleNextPass(ms: number): void {
    this.#cancel?.();
    if (this.#startNextPass) this.#cancel = this.#parts.clock.after(ms, this.#startNextPass);
  }

  /** There is work again: a worker that should run it may have died since the last pass. */
  #onChange(): void {
    if (!this.#isIdle) return;
    this.#isIdle = false;
    const { clock, superviseMs } = this.#parts;
    const agoMs = clock.monotonic() - this.#passStartedAt;
    this.#scheduleNextPass(Math.max(superviseMs / PASSES_WHILE_WATCHING, superviseMs - agoMs));
  }

  #onFreed(afterPass: AfterPass): void {
    if (!this.#stopped) afterPass().catch((error) => this.#parts.report(error));
  }
}

async function expireLate({ deadlines }: Store): Promise<void> {
  while ((await deadlines.expire(BATCH)) === BATCH);
}
