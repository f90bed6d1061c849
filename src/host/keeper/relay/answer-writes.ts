/** Writes responses to calls whose host is gone to the ledger. */
import type { KeptCall } from '../../transports/keeping-transport.ts';
import type { KeptCallState, KeptCalls } from './kept-calls.ts';
import type { RelayClient } from './relay-client.ts';

/**
 * What the response to a call was written as; `left` when only a host can read it, `undecided` when it says nothing about the
 * work and the server can be asked again, `failed` when the write may be retried.
 */
export type WriteResult = 'outcome' | 'handle' | 'left' | 'undecided' | 'failed';

export interface Answer {
  readonly id: number;
  readonly line: string;
  /** The notifications that preceded the response. */
  readonly notifications: readonly string[];
}

export interface AnswerWritesOptions {
  /** Writes the response to a call that no host waits for to the ledger. */
  write(call: KeptCall, answer: Answer): Promise<WriteResult>;
  /** Called whenever there may be nothing left to do. */
  onChange(): void;
}

export class AnswerWrites {
  readonly #kept: KeptCalls<RelayClient>;
  readonly #options: AnswerWritesOptions;
  readonly #writing = new Set<Promise<void>>();

  constructor(kept: KeptCalls<RelayClient>, options: AnswerWritesOptions) {
    this.#kept = kept;
    this.#options = options;
  }

  /** Resolves when no write is in progress. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#writing);
  }

  write(kept: KeptCallState<RelayClient>): void {
    const { call, id, answer: line = '' } = kept;
    const notifications = this.#kept.notificationsOf(call.callId).notifications.map((one) => one.line);
    const writing = this.#options.write(call, { id, line, notifications }).then((written) => {
      this.#writing.delete(writing);
      delete kept.writing;
      kept.hasFailed = written === 'failed';
      if (written === 'outcome') this.#kept.remove(call.callId);
      if (written === 'undecided') this.#kept.markLost(call.callId);
      this.#options.onChange();
    });
    kept.writing = writing;
    this.#writing.add(writing);
  }

  /** Retries the writes that failed; `false` when there are none. */
  retryFailed(): boolean {
    const failed = this.#kept.failed();
    for (const kept of failed) this.write(kept);
    return failed.length > 0;
  }
}
