/**
 * Follows one call to its outcome and stores the outcome.
 *
 * - running: a caller waits for the outcome.
 * - ended:   the outcome is on disk.
 * - left:    no caller waits here any more (detached or cancelled); an answer that still arrives is stored.
 */
import type { CallOutcome } from '../../dialects/host-port.ts';
import { isTaskError, TaskError, toTaskError } from '../../errors.ts';
import { keepAlive } from '../../keep-alive.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { CallQuestions } from './call-questions.ts';
import { type CallPlace, RemoteCall } from './remote-call.ts';
import type { StoppedCall } from './stopped-call.ts';
import { UpdateFeed } from './update-feed.ts';

const TOO_DEEP = 'the answer of the server is nested too deep to be kept';

export class CallLifecycle {
  readonly record: CallRecord;
  readonly feed = new UpdateFeed();
  readonly questions: CallQuestions;
  readonly work: RemoteCall;
  readonly #place: CallPlace;
  readonly #stop = new AbortController();
  #end: CallOutcome | undefined;
  #isEnded = false;
  #outcome: Promise<CallOutcome> | undefined;
  #cancelling: Promise<StoppedCall> | undefined;
  #cancelReason: string | undefined;

  constructor(place: CallPlace) {
    const { settings, ledger, record } = place;
    this.record = record;
    this.#place = place;
    const { signal } = this.#stop;
    const update = this.feed.push.bind(this.feed);
    this.questions = new CallQuestions({ settings, ledger, record, signal, update });
    const isCancelled = () => this.#end?.kind === 'cancelled';
    this.work = new RemoteCall({ ...place, questions: this.questions, signal, update, isCancelled });
  }

  /** Returns the outcome, which is on disk when this resolves. Rejects with `DETACHED` when waiting was stopped. */
  run(): Promise<CallOutcome> {
    this.#outcome ??= this.#run();
    return this.#outcome;
  }

  /** Whether waiting for the call has stopped in this process. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves when a requested cancel has been carried out. */
  async whenCancelled(): Promise<void> {
    await this.#cancelling;
  }

  /** Cancels the work on the server, then stops waiting. */
  cancel(reason: string): Promise<StoppedCall> {
    // A call that has ended cannot be cancelled, and keeps its outcome.
    if (this.record.outcome || this.#isEnded || this.#stop.signal.aborted) {
      return this.#cancelling ?? Promise.resolve('none');
    }
    this.#cancelReason ??= reason;
    this.#cancelling ??= this.#cancel(reason);
    return this.#cancelling;
  }

  /** Stops waiting; the call stays in the ledger. */
  detach(): void {
    const { callId } = this.record;
    this.#stop.abort(new TaskError('DETACHED', `nobody waits for call ${callId} here any longer`));
  }

  async #cancel(reason: string): Promise<StoppedCall> {
    const isConfirmed = await this.work.stop();
    const doubt = isConfirmed ? '' : '; the server did not confirm it, and the work may go on';
    this.#finish({ kind: 'cancelled', reason: `${reason}${doubt}` }, new TaskError('CANCELLED', reason));
    await this.run().catch(() => {});
    await this.work.whenLeft();
    return isConfirmed ? this.work.stopped : 'refused';
  }

  #finish(end: CallOutcome, why: TaskError): void {
    this.#end ??= end;
    this.#stop.abort(why);
  }

  async #run(): Promise<CallOutcome> {
    const cancelDeadline = this.#setDeadline();
    // Our own timers and watches are unref'd, so this keeps the process alive while a caller waits.
    const letGo = keepAlive();
    try {
      return await this.#settle(this.#withCancelReason(await this.work.follow()));
    } catch (error) {
      if (this.#end) return await this.#settle(await this.#withReason(this.#end));
      if (this.#stop.signal.aborted || isTaskError(error, 'HOST_CLOSED')) throw this.#stop.signal.reason ?? error;
      await this.#abandon(error);
      return await this.#settle(toFailure(error));
    } finally {
      cancelDeadline?.();
      letGo();
      this.#isEnded = true;
      this.work.end();
      this.#stop.abort();
      this.feed.end();
    }
  }

  /**
   * The work may end because of our cancel before the server answers the cancel itself: as a cancelled task, or as a closed
   * stream. The outcome then gets the caller's reason.
   */
  #withCancelReason(outcome: CallOutcome): CallOutcome {
    const reason = this.#cancelReason;
    const isOver = outcome.kind === 'cancelled' || outcome.kind === 'interrupted';
    return isOver && reason !== undefined ? { kind: 'cancelled', reason } : outcome;
  }

  /** Adds to a timed-out outcome why the call did not end in time, where that is known. */
  async #withReason(end: CallOutcome): Promise<CallOutcome> {
    if (end.kind !== 'timed-out') return end;
    const unsent = this.work.toUnsent();
    if (unsent) return unsent;
    const why = await this.work.explain().catch(() => undefined);
    return why === undefined ? end : { ...end, reason: `${end.reason}: ${why}` };
  }

  async #settle(outcome: CallOutcome): Promise<CallOutcome> {
    const { ledger } = this.#place;
    const { callId } = this.record;
    try {
      const isFirst = await ledger.settle(callId, outcome);
      this.work.settled();
      if (isFirst) return outcome;
    } catch (cause) {
      // JSON nested deeper than the stack can be parsed but not stringified; it could not be returned again later.
      if (cause instanceof RangeError) throw new TaskError('RESULT_NOT_SERIALIZABLE', TOO_DEEP, { cause });
      throw cause;
    }
    return (await ledger.get(callId))?.outcome ?? outcome;
  }

  /** Cancels the work on the server: the call ends as failed here, so the result would be unused. */
  async #abandon(error: unknown): Promise<void> {
    if (!isTaskError(error)) this.#place.settings.report(error);
    await this.work.stop();
  }

  #setDeadline(): (() => void) | undefined {
    const { deadlineAt } = this.record;
    if (deadlineAt === undefined) return undefined;
    const { clock } = this.#place.settings;
    const reason = 'the call was waited for as long as its caller wanted; the work may still go on';
    const finish = () => this.#finish({ kind: 'timed-out', reason }, new TaskError('TIMED_OUT', reason));
    return clock.after(Math.max(0, deadlineAt - clock.now()), finish);
  }
}

function toFailure(error: unknown): CallOutcome {
  const { code, message } = toTaskError(error);
  return { kind: 'error', error: { code, message } };
}
