import type { Store } from '../../store/contract.ts';
import type { EngineParts } from '../engine-parts.ts';
import { HoldKeeper } from '../holds/held-task.ts';
import { Courier } from './courier.ts';
import { Supervisor } from './supervisor.ts';
import { Sweeper } from './sweeper.ts';

// A process that lives only shortly should not waste what it has watched.
const LOOKS_WHILE_WATCHING = 4;
const BATCH = 500;

/**
 * What every process on a store does for all of it: bury dead workers, give up calls that were left, end tasks that were
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
  #lookAgain: (() => void) | undefined;
  #stopped = false;
  #pass: Promise<void> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor(parts);
    this.#holds = new HoldKeeper(parts);
    this.#courier = new Courier({ ...parts, handlers: parts.outbox, holdMs: parts.outboxVisibilityMs });
    this.#sweeper = new Sweeper({ ...parts, everyMs: parts.sweepMs });
  }

  /** Looks for dead workers before it resolves, and from then on; `afterPass` is called after every look. */
  async start(afterPass: () => Promise<void> = async () => {}): Promise<void> {
    if (this.#stopped) return;
    this.#courier.start();
    this.#sweeper.start();
    this.#pass = this.#look(afterPass);
    await this.#pass;
  }

  /** Looks before it is time, unless a look is under way. */
  lookNow(): void {
    if (this.#stopped || this.#lookAgain === undefined) return;
    this.#cancel?.();
    this.#lookAgain();
  }

  /** Delivers what is due in the outbox now. */
  deliver(): Promise<void> {
    return this.#courier.deliver();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await Promise.all([this.#pass, this.#courier.stop(), this.#sweeper.stop()]);
    // What is in the background writes to the store until it is done.
    await this.#supervisor.settled();
  }

  async #look(afterPass: () => Promise<void>): Promise<void> {
    let isWatching = false;
    try {
      isWatching = await this.#supervisor.pass(() => this.#onFreed(afterPass));
      await this.#holds.pass();
      await expireLate(this.#parts.store);
      await afterPass();
    } catch (error) {
      this.#parts.report(error);
    }
    if (this.#stopped) return;
    const { clock, superviseMs } = this.#parts;
    this.#lookAgain = () => {
      this.#lookAgain = undefined;
      this.#pass = this.#look(afterPass);
    };
    this.#cancel = clock.after(isWatching ? superviseMs / LOOKS_WHILE_WATCHING : superviseMs, this.#lookAgain);
  }

  #onFreed(afterPass: () => Promise<void>): void {
    if (!this.#stopped) afterPass().catch((error) => this.#parts.report(error));
  }
}

async function expireLate({ deadlines }: Store): Promise<void> {
  while ((await deadlines.expire(BATCH)) === BATCH);
}
