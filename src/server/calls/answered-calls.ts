import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Answered, AnswerFate } from '../../dialects/server-port.ts';
import type { HeldTask } from '../../engine/holds/held-task.ts';

export interface AnsweredCallsOptions {
  readonly clock: Clock;
  report(error: unknown): void;
}

/**
 * Answered calls, until it is known whether their answers arrived.
 *
 * Until then the task stays held, so that if this process dies the result goes to a repeat of the call. A task whose
 * answer was read is released; one whose answer was lost can be joined for a while.
 */
export class AnsweredCalls {
  readonly #options: AnsweredCallsOptions;
  readonly #open = new Set<(fate: AnswerFate) => void>();
  readonly #writing = new Set<Promise<void>>();

  constructor(options: AnsweredCallsOptions) {
    this.#options = options;
  }

  follow(hold: Pick<HeldTask, 'close' | 'doubt'>, { fate, joinMs }: Answered): void {
    const write = (known: AnswerFate) => this.#write(known === 'read' ? hold.close() : hold.doubt(joinMs));
    // Send the answer first.
    if (joinMs === 0) return void setImmediate(() => write('read'));
    const end = (known: AnswerFate) => {
      if (!this.#open.delete(end)) return;
      stop();
      write(known);
    };
    this.#open.add(end);
    const stop = this.#options.clock.after(joinMs, () => end('read'));
    void fate.then(end);
  }

  /** Resolves when everything known so far has been written. */
  async settled(): Promise<void> {
    await nextTurn();
    await Promise.all(this.#writing);
  }

  /** Treats the answers that are still open as lost. */
  async close(): Promise<void> {
    for (const end of this.#open) end('lost');
    await this.settled();
  }

  #write(writing: Promise<void>): void {
    const done = writing.catch(this.#options.report).finally(() => this.#writing.delete(done));
    this.#writing.add(done);
  }
}
