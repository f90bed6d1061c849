import { Courier } from './courier.ts';
import type { EngineParts } from './engine-parts.ts';
import { HoldKeeper } from './held-task.ts';
import { Supervisor } from './supervisor.ts';
import { Sweeper } from './sweeper.ts';

/**
 * What every process on a store does for all of it: bury dead workers, give up calls that were left, deliver the
 * outbox, sweep.
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
  #stopped = false;
  #pass: Promise<void> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor(parts);
    this.#holds = new HoldKeeper(parts);
    this.#courier = new Courier({ ...parts, handlers: parts.outbox, holdMs: parts.outboxHoldMs });
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

  /** Delivers what is due in the outbox now. */
  deliver(): Promise<void> {
    return this.#courier.deliver();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await Promise.all([this.#pass, this.#courier.stop(), this.#sweeper.stop()]);
  }

  async #look(afterPass: () => Promise<void>): Promise<void> {
    try {
      await this.#supervisor.pass();
      await this.#holds.pass();
      await afterPass();
    } catch (error) {
      this.#parts.report(error);
    }
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(this.#parts.superviseMs, () => {
      this.#pass = this.#look(afterPass);
    });
  }
}
