/**
 * Brings one call to its outcome, and writes down how it ended.
 *
 * - running: somebody waits.
 * - ended:   the outcome is on disk.
 * - left:    nobody waits here; an answer that comes all the same is written down.
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

  /** The outcome, which is on disk when this resolves. Rejects with `DETACHED` when nobody waits any longer. */
  run(): Promise<CallOutcome> {
    this.#outcome ??= this.#run();
    return this.#outcome;
  }

  /** Nobody waits for it here. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves when a cancel that somebody asked for has been carried out. */
  async whenCancelled(): Promise<void> {
    await this.#cancelling;
  }

  /** Stops the work on the server, then the waiting. */
  cancel(reason: string): Promise<StoppedCall> {
    // What has ended cannot be stopped, and its outcome stays as it is.
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
    // Timers and watches of ours keep no process alive, and somebody waits for this.
    const letGo = keepAlive();
    try {
      return await this.#settle(this.#inOwnWords(await this.work.follow()));
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
   * What ends because we cancelled it may be told so before the cancel is answered: as a task that was cancelled, or by a
   * stream that is closed.
   */
  #inOwnWords(outcome: CallOutcome): CallOutcome {
    const reason = this.#cancelReason;
    const isOver = outcome.kind === 'cancelled' || outcome.kind === 'interrupted';
    return isOver && reason !== undefined ? { kind: 'cancelled', reason } : outcome;
  }

  /** Whoever waited in vain is told what for. */
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
      // What goes deeper than a stack can be read and not written; nobody could be given it twice.
      if (cause instanceof RangeError) throw new TaskError('RESULT_NOT_SERIALIZABLE', TOO_DEEP, { cause });
      throw cause;
    }
    return (await ledger.get(callId))?.outcome ?? outcome;
  }

  /** The call ends as failed here; what runs on the server for it runs for nobody. */
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
