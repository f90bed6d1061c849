/** The calls that this host follows: start, take over, find and detach them. */

import type { CallRecord } from '../ledger/contract.ts';
import { isLost, makeOwner, NOBODY } from '../ledger/owner.ts';
import { CallLifecycle } from './call-lifecycle.ts';
import type { CallPlace } from './remote-call.ts';

export type CallRegistryOptions = Pick<CallPlace, 'settings' | 'ledger' | 'findServer' | 'isConnected'>;

export class CallRegistry {
  /** This host's owner name in the ledger. */
  readonly owner = makeOwner();
  readonly #options: CallRegistryOptions;
  readonly #runners = new Map<string, CallLifecycle>();
  /** Calls that no caller waits for, whose answers may still arrive. */
  readonly #pendingAnswers = new Map<string, Promise<void>>();
  /** The calls in `#pendingAnswers` that have ended here; their cancelled work may still have to be stopped. */
  readonly #ended = new Set<CallLifecycle>();
  #isClosing = false;

  constructor(options: CallRegistryOptions) {
    this.#options = options;
  }

  list(): CallLifecycle[] {
    return [...this.#runners.values()];
  }

  /** Returns the call if a caller waits for it here. */
  find(callId: string): CallLifecycle | undefined {
    const runner = this.#runners.get(callId);
    return runner?.isStopped ? undefined : runner;
  }

  start(record: CallRecord, { isResumed }: { readonly isResumed: boolean }): CallLifecycle {
    const { callId } = record;
    const runner = new CallLifecycle({ ...this.#options, record, isResumed, ready: this.#pendingAnswers.get(callId) });
    if (record.outcome) {
      // It has ended, so there are no more updates; readers must not wait for them.
      runner.feed.end();
      return runner;
    }
    this.#runners.set(callId, runner);
    const pending = this.#releaseWhenDone(runner).catch(this.#options.settings.report);
    this.#pendingAnswers.set(callId, pending);
    void pending.then(() => {
      if (this.#pendingAnswers.get(callId) === pending) this.#pendingAnswers.delete(callId);
    });
    return runner;
  }

  /**
   * Takes over a call whose owning process is gone; a call of a live process stays with its owner. When it cannot be checked from
   * here whether the owner is alive, `takeOver` decides.
   */
  async claim(record: CallRecord, { takeOver }: { readonly takeOver: boolean }): Promise<CallLifecycle | undefined> {
    const { callId, owner, outcome } = record;
    if (this.#isClosing) return undefined;
    const isOurs = owner === this.owner || outcome !== undefined;
    if (!isOurs && !((isLost(owner) ?? takeOver) && (await this.#adopt(callId, owner)))) return undefined;
    return this.find(callId) ?? this.start(record, { isResumed: true });
  }

  /** Stops waiting for all calls. A requested cancel is carried out first. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const runners = this.list();
    await Promise.all([...runners, ...this.#ended].map((runner) => runner.whenCancelled()));
    for (const runner of runners) runner.detach();
    await Promise.allSettled(runners.map((runner) => runner.run()));
  }

  /** Resolves when no more answers can arrive for detached calls. */
  async whenLeft(): Promise<void> {
    await Promise.all(this.#pendingAnswers.values());
  }

  /** Once the call is not followed here any more, releases its ownership so that any host may take it over. */
  async #releaseWhenDone(runner: CallLifecycle): Promise<void> {
    const { callId } = runner.record;
    const isEnded = await runner.run().then(
      () => true,
      () => false,
    );
    if (this.#runners.get(callId) === runner) this.#runners.delete(callId);
    this.#ended.add(runner);
    await runner.work.whenLeft().finally(() => this.#ended.delete(runner));
    if (isEnded || this.#runners.has(callId)) return;
    await this.#options.ledger.adopt(callId, { from: this.owner, to: NOBODY });
  }

  #adopt(callId: string, from: string): Promise<boolean> {
    return this.#options.ledger.adopt(callId, { from, to: this.owner });
  }
}
