/**
 * One call and its server: sends it, stores its handle, follows it, and cancels it there.
 *
 * Everything is written to the ledger before it is sent, so that a process that takes the call over knows how far it got.
 */
import type { CallHandle, CallOutcome, CallUpdate, HostPort, JsonObject } from '../../dialects/host-port.ts';
import type { HostSettings } from '../host-options.ts';
import type { CodedLedger } from '../ledger/coded-ledger.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { Reachability } from '../servers/reachability.ts';
import type { ReconnectingServer } from '../servers/reconnecting-server.ts';
import { whenAborted } from '../servers/when-aborted.ts';
import { readSession } from '../transports/http-session.ts';
import type { CallQuestions } from './call-questions.ts';
import { cancelWork } from './remote-cancel.ts';
import { sendCall } from './sending/call-sending.ts';
import { EarlyNotifications } from './sending/early-notifications.ts';
import type { Interpreted } from './sending/read-answer.ts';
import { isUnacked, SendMark, toUsableHandle } from './sending/send-mark.ts';
import type { StoppedCall } from './stopped-call.ts';

/** The record of a call, and how to find its server. */
export interface CallPlace {
  readonly settings: HostSettings;
  readonly ledger: CodedLedger;
  readonly record: CallRecord;
  /** Whether another process may already have sent it. */
  readonly isResumed: boolean;
  /** Resolves when an earlier request of the call in this process has been answered, or cannot be any more. */
  readonly ready?: Promise<void> | undefined;
  /** Whether its server has been connected under this name. */
  isConnected(name: string): boolean;
  /** Returns its server, once one is connected under this name. */
  findServer(name: string, signal: AbortSignal): Promise<ReconnectingServer>;
}

export interface RemoteCallOptions extends CallPlace {
  readonly questions: CallQuestions;
  /** Fires when waiting for the call stops. */
  readonly signal: AbortSignal;
  /** Whether waiting stopped because of a cancel. */
  isCancelled(): boolean;
  update(update: CallUpdate): void;
}

// A cancelling caller does not wait longer than this for a server that is not connected.
const FIND_MS = 5000;

export class RemoteCall {
  readonly #options: RemoteCallOptions;
  readonly #early: EarlyNotifications;
  readonly #reachability: Reachability;
  readonly #mark: SendMark;
  #handle: CallHandle | undefined;
  #progressRead: Promise<unknown> | undefined;
  #server: ReconnectingServer | undefined;
  /** The number of the connection on which the call was sent; `undefined` when another process sent it. */
  #sentOn: number | undefined;
  #isOver = false;
  #isStopping = false;
  #onSent: (() => void)[] = [];
  /** Settles when an answer that arrives after waiting stopped has been handled. */
  #left: Promise<void> | undefined;
  /** What an answer that arrived after the cancel tells about the work. */
  #lateCancelResult: StoppedCall | undefined;

  constructor(options: RemoteCallOptions) {
    this.#options = options;
    this.#handle = toUsableHandle(options.record.handle);
    const { record, ledger, update, isResumed } = options;
    this.#reachability = new Reachability(record.server, update);
    this.#mark = new SendMark(ledger, record, isResumed);
    const { clock, dialects } = options.settings;
    this.#early = new EarlyNotifications(record.callId, dialects, { clock, update });
  }

  /** Whether the call has no handle yet and has not ended. */
  get isSending(): boolean {
    return this.#handle === undefined && !this.#isOver;
  }

  /** Resolves when the call has been sent and acknowledged, or has ended. */
  whenSent(): Promise<void> {
    const isSent = this.#isOver || (this.#handle !== undefined && !isUnacked(this.#handle));
    return isSent ? Promise.resolve() : new Promise((resolve) => this.#onSent.push(resolve));
  }

  /** Resolves when a call whose waiting stopped while it was being sent has been answered, or cannot be any more. */
  whenLeft(): Promise<void> {
    return this.#left ?? Promise.resolve();
  }

  /** What is known of the work after a cancel. */
  get stopped(): StoppedCall {
    if (this.#mark.isUnsent) return 'none';
    const hasHandle = this.#handle !== undefined && !isUnacked(this.#handle);
    return hasHandle ? 'confirmed' : (this.#lateCancelResult ?? 'told');
  }

  /** Whether the work of the call is done by this task of the server. */
  ownsTask(taskId: string): boolean {
    return this.#handle !== undefined && this.#options.settings.dialects.isTaskOf(this.#handle, taskId);
  }

  /** Follows the call to its outcome; rejects when waiting stops. */
  async follow(): Promise<CallOutcome> {
    const { record, settings, signal, questions, findServer, isConnected, update } = this.#options;
    const progressRead = this.#readProgress();
    this.#progressRead = progressRead;
    const ended = await progressRead;
    if (ended) return ended;
    if (!isConnected(record.server)) update({ type: 'unconnected', server: record.server });
    const server = await findServer(record.server, signal);
    this.#server = server;
    const stops = [
      server.onNotification((notification) => this.#early.hear(notification), record.callId),
      server.onConnected(() => questions.startOver()),
    ];
    try {
      const known = isUnacked(this.#handle) ? undefined : this.#handle;
      if (known) await this.#replayNotifications(server);
      const sent = known ?? (await this.#send(server));
      if (!('dialect' in sent)) return sent;
      const { dialects } = settings;
      const port = dialects.withTasks(await this.#toPort(server));
      return await dialects.find(sent).follow(sent, port, this.#early.of(sent.dialect));
    } finally {
      for (const stop of stops) stop();
      this.#early.close();
    }
  }

  /** Cancels the work on the server; `false` when there is work to cancel and the server did not confirm it. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    // A call that was just resumed may not have found its server yet.
    await this.#progressRead?.catch(() => {});
    if (!this.#handle && this.#options.isResumed && !this.#mark.isUnsent) await this.#cancelAtKeeper();
    if (!this.#handle || this.#mark.isUnsent || (isUnacked(this.#handle) && !this.#server)) return true;
    const server = this.#server ?? (await this.#findServerInTime());
    return server ? cancelWork(this.#handle, server, this.#options.settings) : false;
  }

  /** Only the server's keeper knows under which request id another host sent the call. */
  async #cancelAtKeeper(): Promise<void> {
    const { record, settings } = this.#options;
    const server = this.#server ?? (await this.#findServerInTime());
    const connection = await server?.connection(AbortSignal.timeout(FIND_MS)).catch(settings.report);
    await connection?.cancelKept(record.callId);
  }

  async #findServerInTime(): Promise<ReconnectingServer | undefined> {
    const { record, settings, findServer } = this.#options;
    const timeout = new AbortController();
    const stopTimer = settings.clock.after(FIND_MS, () => timeout.abort(new Error('the server is not connected')));
    try {
      return await findServer(record.server, timeout.signal);
    } catch {
      return undefined;
    } finally {
      stopTimer();
    }
  }

  /**
   * Returns the outcome of a call that was never sent because its server was unreachable the whole time, once waiting has ended.
   */
  toUnsent(): CallOutcome | undefined {
    const message = this.#mark.isUnsent ? this.#reachability.explain() : undefined;
    return message === undefined ? undefined : { kind: 'error', error: { code: 'CONNECT_FAILED', message } };
  }

  /** Returns why the call has not ended yet, where that is known. */
  async explain(): Promise<string | undefined> {
    const reason = this.#reachability.explain();
    if (reason !== undefined) return reason;
    return this.#handle && this.#options.settings.dialects.find(this.#handle).explain?.(this.#handle);
  }

  /** Marks the call as finished in this process. */
  end(): void {
    this.#isOver = true;
    this.#notifySent();
  }

  /** Reads what the previous owner of the call has written since. */
  async #readProgress(): Promise<CallOutcome | undefined> {
    const { isResumed, ready, ledger, record, signal } = this.#options;
    if (!isResumed) return undefined;
    if (ready) await Promise.race([ready, whenAborted(signal).promise]);
    signal.throwIfAborted();
    const now = await ledger.get(record.callId);
    this.#mark.restore(now?.handle);
    this.#handle = toUsableHandle(now?.handle);
    if (this.#handle && !isUnacked(this.#handle)) this.#notifySent();
    return now?.outcome;
  }

  /** Replays notifications that the server sent while no host was connected, so that no update of the handle is missing. */
  async #replayNotifications(server: ReconnectingServer): Promise<void> {
    if (!this.#options.isResumed) return;
    const connection = await server.patientConnection(this.#options.signal);
    const onId = (id: string) => this.#early.sentAs(id);
    if (await connection.replayNotifications(this.#options.record.callId, onId)) this.#sentOn = server.connections;
  }

  /** Returns the outcome or the handle that the ledger has by now, or `undefined`. */
  async #readWritten(): Promise<CallHandle | CallOutcome | undefined> {
    const { ledger, record } = this.#options;
    const now = await ledger.get(record.callId);
    const handle = toUsableHandle(now?.handle);
    return now?.outcome ?? (isUnacked(handle) ? undefined : handle);
  }

  /** Called when the outcome of the call is on disk. */
  settled(): void {
    this.#server?.done(this.#options.record.callId);
  }

  async #send(server: ReconnectingServer): Promise<CallHandle | CallOutcome> {
    const { record, ledger, isResumed, settings, questions, signal } = this.#options;
    const { clock, report, dialects } = settings;
    const canKeepersWrite = settings.codec === undefined;
    const isWritten = async () => (await this.#readWritten()) !== undefined;
    const onLeft = (late: Promise<Interpreted | undefined>) => {
      this.#left = this.#handleLateAnswer(late).catch(report);
    };
    const [early, reachability, mark] = [this.#early, this.#reachability, this.#mark];
    const isRepeat = isResumed && !mark.isUnsent;
    const waiting = { server, signal, reachability, mark };
    const sending = { record, dialects, questions, early, clock, isRepeat, onLeft, canKeepersWrite, isWritten };
    const answer = await sendCall({ ...waiting, ...sending });
    reachability.reached();
    server.reached();
    this.#sentOn = server.connections;
    const written = answer === 'written' ? await this.#readWritten() : undefined;
    const handle = written ?? (answer !== 'written' && answer.kind === 'handle' ? answer.handle : undefined);
    if (answer !== 'written' && answer.kind === 'outcome') return answer.outcome;
    if (!handle || !('dialect' in handle)) return handle as CallOutcome;
    if (!written) await ledger.setHandle(record.callId, handle);
    server.handedOver(record.callId);
    this.#handle = handle;
    this.#notifySent();
    return handle;
  }

  /**
   * Handles an answer that arrives after waiting stopped: cancels the work if it was to be cancelled; otherwise stores the handle
   * for the host that resumes the call.
   */
  async #handleLateAnswer(late: Promise<Interpreted | undefined>): Promise<void> {
    const { ledger, record, settings, isCancelled } = this.#options;
    const answer = await late;
    if (answer?.kind === 'outcome') {
      this.#lateCancelResult = 'confirmed';
      await ledger.settle(record.callId, answer.outcome);
      this.settled();
    }
    if (answer?.kind !== 'handle') return;
    if (isCancelled() && this.#server) {
      const isStopped = await cancelWork(answer.handle, this.#server, settings);
      this.#lateCancelResult = isStopped ? 'confirmed' : 'refused';
    } else await ledger.setHandle(record.callId, answer.handle);
  }

  async #toPort(server: ReconnectingServer): Promise<HostPort> {
    const { signal, settings, update, questions, record } = this.#options;
    const { era, capabilities } = await server.patientConnection(signal);
    const session = readSession(this.#handle);
    return {
      clock: settings.clock,
      signal,
      server: { era, capabilities, isStdio: server.isStdio },
      request: (method, params, options) =>
        this.#reachability.watch((onFailed) =>
          server.request(method, params, { signal: options?.signal ?? signal, session, onFailed }),
        ),
      onNotification: (listener) => server.onNotification(listener, record.callId),
      onConnected: (listener) => {
        if (server.connections !== this.#sentOn) queueMicrotask(listener);
        return server.onConnected(listener);
      },
      isStopping: () => this.#isStopping,
      update,
      keep: (more) => this.#extendHandle(more),
      ask: (key, request, refusal) => questions.ask(key, request, refusal),
    };
  }

  /** Adds fields to the handle. Only a cancel needs them, so the write is not awaited. */
  #extendHandle(more: JsonObject): void {
    const { ledger, record, settings } = this.#options;
    const handle = this.#handle;
    if (!handle || Object.entries(more).every(([key, value]) => handle[key] === value)) return;
    this.#handle = { ...handle, ...more };
    ledger.setHandle(record.callId, this.#handle).catch(settings.report);
  }

  #notifySent(): void {
    for (const notify of this.#onSent.splice(0)) notify();
  }
}
