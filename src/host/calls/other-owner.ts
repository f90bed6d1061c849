import type { Clock } from '../../clock.ts';
import type { CallHandle, CallOutcome } from '../../dialects/host-port.ts';
import { PollBackoff } from '../../dialects/shared/poll-backoff.ts';
import { TaskError } from '../../errors.ts';
import { keepAlive } from '../../keep-alive.ts';
import type { CallRecord, Ledger } from '../ledger/contract.ts';
import type { Call } from './call.ts';
import type { CallLifecycle } from './call-lifecycle.ts';
import { isUnacked, toUsableHandle } from './sending/send-mark.ts';
import type { StoppedCall } from './stopped-call.ts';
import { UpdateFeed } from './update-feed.ts';

export interface OtherOwnerOptions {
  readonly record: CallRecord;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Follows the call in this process when its previous owner is gone. */
  takeOver(record: CallRecord): Promise<CallLifecycle | undefined>;
  /** Cancels the work behind a handle; `false` when the server did not confirm it. */
  cancelWork(server: string, handle: CallHandle): Promise<boolean>;
}

const LOOK_MS = 100;
const MAX_LOOK_MS = 1000;

/** A call that another host follows: its outcome appears in the ledger. If that host dies, the call is followed here. */
export class OtherOwner {
  readonly #options: OtherOwnerOptions;
  readonly #feed = new UpdateFeed();
  readonly #stop = new AbortController();
  #runner: CallLifecycle | undefined;
  #outcome: Promise<CallOutcome> | undefined;

  constructor(options: OtherOwnerOptions) {
    this.#options = options;
  }

  toCall(): Call {
    const { record, ledger } = this.#options;
    const { callId, server, tool, sessionId } = record;
    return {
      callId,
      server,
      tool,
      sessionId,
      updates: () => {
        this.#begin().catch(() => {});
        return this.#feed.read();
      },
      sent: () => this.#whenSent(),
      outcome: () => this.#begin(),
      ack: () => ledger.ack(callId),
      cancel: (reason = 'cancelled by the caller') => this.#cancel(reason),
      detach: () => {
        this.#stop.abort(new TaskError('DETACHED', `nobody waits for call ${callId} here any longer`));
        this.#runner?.detach();
      },
    };
  }

  async #whenSent(): Promise<void> {
    const { record, ledger, clock } = this.#options;
    const pace = new PollBackoff(clock, LOOK_MS, MAX_LOOK_MS);
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const now = await ledger.get(record.callId);
      if (!now || now.outcome || isSent(now.handle)) return;
      // A call whose owner died before it was sent is sent only by the host that takes it over.
      this.#begin().catch(() => {});
      await pace.wait(this.#stop.signal);
    }
  }

  #begin(): Promise<CallOutcome> {
    this.#outcome ??= this.#wait();
    return this.#outcome;
  }

  async #wait(): Promise<CallOutcome> {
    // Our own timers are unref'd, so this keeps the process alive while a caller waits.
    const letGo = keepAlive();
    try {
      return await this.#look();
    } finally {
      letGo();
      this.#feed.end();
    }
  }

  async #look(): Promise<CallOutcome> {
    const { record, ledger, clock, takeOver } = this.#options;
    const pace = new PollBackoff(clock, LOOK_MS, MAX_LOOK_MS);
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const now = await ledger.get(record.callId);
      if (!now) throw new TaskError('CALL_NOT_FOUND', `the ledger does not know call ${record.callId} any more`);
      if (now.outcome) return now.outcome;
      this.#runner = await takeOver(now);
      if (this.#runner) return this.#follow(this.#runner);
      await pace.wait(this.#stop.signal);
    }
  }

  async #follow(runner: CallLifecycle): Promise<CallOutcome> {
    const showing = (async () => {
      for await (const update of runner.feed.read()) this.#feed.push(update);
    })();
    const outcome = await runner.run();
    await showing;
    return outcome;
  }

  /**
   * Cancels the work on the server; the host that owns the call sees it end. A call that is just being sent can only be cancelled
   * by its owner.
   */
  async #cancel(reason: string): Promise<StoppedCall> {
    if (this.#runner) return this.#runner.cancel(reason);
    const { record, ledger, cancelWork } = this.#options;
    const { callId, server } = record;
    const now = await ledger.get(callId);
    if (!now || now.outcome) return 'none';
    const handle = toUsableHandle(now.handle);
    if (!handle) {
      throw new TaskError('INVALID_ARGUMENT', `call ${callId} is being sent by another process; cancel it there`);
    }
    if (await cancelWork(server, handle)) return 'confirmed';
    throw new TaskError('LINE_LOST', `server ${server} did not confirm that the work of call ${callId} is cancelled`);
  }
}

function isSent(handle: CallHandle | undefined): boolean {
  return toUsableHandle(handle) !== undefined && !isUnacked(handle);
}
