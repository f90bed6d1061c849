/**
 * Brings one call to its outcome: sends it, keeps its handle, follows it, and writes down how it ended.
 *
 * Whatever is sent has been written down before, so a process that takes up the call knows how far it had come.
 *
 * - sending:   no handle is known.
 * - following: the handle is on disk.
 * - ended:     the outcome is on disk.
 * - left:      nobody waits here; an answer that comes all the same is written down.
 */
import type { CallOutcome, HostPort, JsonObject } from '../dialects/host-port.ts';
import { readRelatedTask } from '../dialects/tasks-2025/host.ts';
import { isTaskError, TaskError, toTaskError } from '../errors.ts';
import { CallQuestions } from './call-questions.ts';
import { type Interpreted, sendCall } from './call-sending.ts';
import { findDriver } from './drivers.ts';
import { EarlyNews } from './early-news.ts';
import type { HostSettings } from './host-options.ts';
import type { CallHandle, CallRecord, Ledger } from './ledger/contract.ts';
import { cancelWork } from './remote-cancel.ts';
import type { ServerLink } from './server-link.ts';
import { isUnsent } from './ui-prompts-call.ts';
import { UpdateFeed } from './update-feed.ts';
import { whenAborted } from './when-aborted.ts';

export interface CallRunnerOptions {
  readonly settings: HostSettings;
  readonly ledger: Ledger;
  readonly record: CallRecord;
  /** Whether another process may have sent it. */
  readonly isResumed: boolean;
  /** What was sent before has been answered, or will not be. */
  readonly ready?: Promise<void> | undefined;
  /** The way to its server, once there is one. */
  findLink(server: string, signal: AbortSignal): Promise<ServerLink>;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class CallRunner {
  readonly record: CallRecord;
  readonly feed = new UpdateFeed();
  readonly questions: CallQuestions;
  readonly #options: CallRunnerOptions;
  readonly #stop = new AbortController();
  readonly #early: EarlyNews;
  #handle: CallHandle | undefined;
  #link: ServerLink | undefined;
  /** The connection on which the call was sent; none when another process sent it. */
  #sentOn: number | undefined;
  #end: CallOutcome | undefined;
  #isEnded = false;
  #outcome: Promise<CallOutcome> | undefined;
  #cancelling: Promise<void> | undefined;
  #cancelReason: string | undefined;
  #onSent: (() => void)[] = [];
  /** An answer that comes when nobody waits has been dealt with. */
  #left: Promise<void> | undefined;

  constructor(options: CallRunnerOptions) {
    const { settings, ledger, record } = options;
    this.record = record;
    this.#options = options;
    this.#handle = record.handle;
    const update = this.feed.push.bind(this.feed);
    this.#early = new EarlyNews(record.callId, update);
    this.questions = new CallQuestions({ settings, ledger, record, signal: this.#stop.signal, update });
  }

  /** The outcome, which is on disk when this resolves. Rejects with `DETACHED` when nobody waits any longer. */
  run(): Promise<CallOutcome> {
    this.#outcome ??= this.#run();
    return this.#outcome;
  }

  /** No handle is known yet. */
  get isSending(): boolean {
    return this.#handle === undefined && !this.#isEnded;
  }

  /** Nobody waits for it here. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves when the call is not being sent any longer. */
  whenSent(): Promise<void> {
    return this.isSending ? new Promise((resolve) => this.#onSent.push(resolve)) : Promise.resolve();
  }

  /** Resolves when a cancel that somebody asked for has been carried out. */
  whenCancelled(): Promise<void> {
    return this.#cancelling ?? Promise.resolve();
  }

  /** Resolves when a call that was left while it was sent has been answered, or will not be. */
  whenLeft(): Promise<void> {
    return this.#left ?? Promise.resolve();
  }

  /** Whether a request of the server's belongs to this call's task. */
  owns(params: JsonObject): boolean {
    const taskId = readRelatedTask(params);
    return taskId !== undefined && this.#handle?.taskId === taskId;
  }

  /** Stops the work on the server, then the waiting. */
  cancel(reason: string): Promise<void> {
    if (this.#isEnded || this.#stop.signal.aborted) return this.#cancelling ?? Promise.resolve();
    this.#cancelReason ??= reason;
    this.#cancelling ??= this.#cancel(reason);
    return this.#cancelling;
  }

  /** Stops waiting; the call stays in the ledger. */
  detach(): void {
    const { callId } = this.record;
    this.#stop.abort(new TaskError('DETACHED', `nobody waits for call ${callId} here any longer`));
  }

  async #cancel(reason: string): Promise<void> {
    const { settings } = this.#options;
    const handle = this.#handle;
    const isTaken = handle && this.#link ? await cancelWork(handle, this.#link, settings) : true;
    const doubt = isTaken ? '' : '; the server did not confirm it, and the work may go on';
    this.#finish({ kind: 'cancelled', reason: `${reason}${doubt}` }, new TaskError('CANCELLED', reason));
    await this.run().catch(() => {});
    await this.#left;
  }

  #finish(end: CallOutcome, why: TaskError): void {
    this.#end ??= end;
    this.#stop.abort(why);
  }

  async #run(): Promise<CallOutcome> {
    const cancelDeadline = this.#setDeadline();
    // Timers and watches of ours keep no process alive, and somebody waits for this.
    const alive = setInterval(() => {}, LONGEST_TIMER_MS);
    try {
      return await this.#settle(this.#inOwnWords(await this.#reach()));
    } catch (error) {
      if (this.#end) return await this.#settle(this.#end);
      if (this.#stop.signal.aborted || isTaskError(error, 'HOST_CLOSED')) throw this.#stop.signal.reason ?? error;
      await this.#abandon(error);
      return await this.#settle(toFailure(error));
    } finally {
      cancelDeadline?.();
      clearInterval(alive);
      this.#isEnded = true;
      this.#tellSent();
      this.#stop.abort();
      this.feed.end();
    }
  }

  /** A task that ends because we cancelled it may be told so before the cancel is answered. */
  #inOwnWords(outcome: CallOutcome): CallOutcome {
    const reason = this.#cancelReason;
    return outcome.kind === 'cancelled' && reason !== undefined ? { kind: 'cancelled', reason } : outcome;
  }

  async #settle(outcome: CallOutcome): Promise<CallOutcome> {
    const { ledger } = this.#options;
    const { callId } = this.record;
    if (await ledger.settle(callId, outcome)) return outcome;
    return (await ledger.get(callId))?.outcome ?? outcome;
  }

  async #reach(): Promise<CallOutcome> {
    const { signal } = this.#stop;
    const ended = await this.#catchUp();
    if (ended) return ended;
    const link = await this.#options.findLink(this.record.server, signal);
    this.#link = link;
    const stops = [
      link.onNotification((notification) => this.#early.hear(notification)),
      link.onConnected(() => this.questions.startOver()),
    ];
    try {
      const sent = isUnsent(this.#handle) ? await this.#send(link) : (this.#handle ?? (await this.#send(link)));
      if (!('dialect' in sent)) return sent;
      return await findDriver(sent).follow(sent, await this.#toPort(link));
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** What the one who had the call before wrote down meanwhile. */
  async #catchUp(): Promise<CallOutcome | undefined> {
    const { isResumed, ready, ledger } = this.#options;
    if (!isResumed) return undefined;
    if (ready) await Promise.race([ready, whenAborted(this.#stop.signal).promise]);
    this.#stop.signal.throwIfAborted();
    const now = await ledger.get(this.record.callId);
    this.#handle = now?.handle;
    return now?.outcome;
  }

  async #send(link: ServerLink): Promise<CallHandle | CallOutcome> {
    const { record, ledger, isResumed, settings } = this.#options;
    const answer = await sendCall({
      record,
      link,
      questions: this.questions,
      clock: settings.clock,
      signal: this.#stop.signal,
      isRepeat: isResumed,
      onLeft: (late) => {
        this.#left = this.#takeLate(late).catch(settings.report);
      },
    });
    this.#sentOn = link.connections;
    if (answer.kind === 'outcome') return answer.outcome;
    await ledger.setHandle(record.callId, answer.handle);
    this.#handle = answer.handle;
    this.#tellSent();
    return answer.handle;
  }

  /** Work that was to be cancelled is; other work is remembered for whoever takes up the call. */
  async #takeLate(late: Promise<Interpreted | undefined>): Promise<void> {
    const { ledger, record, settings } = this.#options;
    const answer = await late;
    if (answer?.kind === 'outcome') await ledger.settle(record.callId, answer.outcome);
    if (answer?.kind !== 'handle') return;
    if (this.#end?.kind === 'cancelled' && this.#link) await cancelWork(answer.handle, this.#link, settings);
    else await ledger.setHandle(record.callId, answer.handle);
  }

  /** The call ends as failed here; what runs on the server for it runs for nobody. */
  async #abandon(error: unknown): Promise<void> {
    const { settings } = this.#options;
    if (!isTaskError(error)) settings.report(error);
    if (this.#handle && this.#link) await cancelWork(this.#handle, this.#link, settings);
  }

  async #toPort(link: ServerLink): Promise<HostPort> {
    const { signal } = this.#stop;
    const { clock } = this.#options.settings;
    const { era, capabilities } = await link.patientLine(signal);
    return {
      clock,
      signal,
      server: { era, capabilities, isStdio: link.isStdio },
      request: (method, params, options) => link.request(method, params, options?.signal ?? signal),
      onNotification: (listener) => {
        this.#early.replay(listener);
        return link.onNotification(listener);
      },
      onConnected: (listener) => {
        if (link.connections !== this.#sentOn) queueMicrotask(listener);
        return link.onConnected(listener);
      },
      update: (update) => this.feed.push(update),
      ask: (key, request) => this.questions.ask(key, request),
    };
  }

  #tellSent(): void {
    for (const tell of this.#onSent.splice(0)) tell();
  }

  #setDeadline(): (() => void) | undefined {
    const { deadlineAt } = this.record;
    if (deadlineAt === undefined) return undefined;
    const { clock } = this.#options.settings;
    const reason = 'the call was waited for as long as its caller wanted; the work may still go on';
    const finish = () => this.#finish({ kind: 'timed-out', reason }, new TaskError('TIMED_OUT', reason));
    return clock.after(Math.max(0, deadlineAt - clock.now()), finish);
  }
}

function toFailure(error: unknown): CallOutcome {
  const { code, message } = toTaskError(error);
  return { kind: 'error', error: { code, message } };
}
