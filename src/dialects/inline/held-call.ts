/**
 * Holds the call of a client without tasks, then hands over.
 *
 * The call is a task like any other. While it is held, its progress goes to the client and its questions are asked: on
 * the connection (legacy), or by an `input_required` answer, for which the client repeats the call with its answers
 * (modern). Before the client would time out, it gets a hand-over that says how to go on waiting. When it disconnects
 * the task becomes unattended; only an explicit cancel ends it at once.
 */
import { readSteady, type SteadyReading } from '../../clock.ts';
import type { EventGap, TaskEvent } from '../../task/event.ts';
import { isForPerson, isOpen, type Question } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { EventPoint, Gone, IncomingCall, Joining, RpcResult, ServerPort, Submitted } from '../server-port.ts';
import { toLogData } from '../shared/log-data.ts';
import { toFinalResult } from '../shared/outcomes/final-result.ts';
import { invalidParams, RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { dropHeadlessAnswers, isHeadless } from '../shared/questions/headless.ts';
import { toAnswers, toInputRequests } from '../shared/questions/input-requests.ts';
import { canAnswer } from '../shared/questions/mcp-input.ts';
import { askQuestions, keepAsking } from '../shared/questions/question-request.ts';
import { toShownPrefix } from './companions/shown-prefix.ts';
import { toHandOver } from './hand-over.ts';
import { HeartbeatProgress } from './heartbeat-progress.ts';
import { joinedFailure, withJoined } from './joined.ts';
import { claimHold, QueuedHold } from './queued-hold.ts';

const STATE = 'held';

/** A task that a call waits for. */
export interface HeldSubmission extends Submitted {
  /** The client has been sent the events up to this number. */
  readonly sentSeq?: number;
  /** Whether the client asked to wait for a task it knows: the task then continues whatever happens to the wait. */
  readonly isKnown?: boolean;
  /** Set when the task is that of an earlier call, and its result says so. */
  readonly joined?: Joining;
  /** The longest wait in ms, when the client itself set one. */
  readonly waitMs?: number;
  /** How many hand-overs the client has read before this wait. */
  readonly turn?: number;
  /** Set when it resumes a stream that was cut. */
  readonly resumed?: EventPoint;
}

/** Waits for the end of a task while the call is held; resolves with its result, a question, or how to go on waiting. */
export function holdCall(port: ServerPort, call: IncomingCall, held: HeldSubmission): Promise<RpcResult> {
  return new HeldCall(port, call, held).run();
}

/** Returns the held call that a repeated request continues, with its answers recorded; undefined when the state is not ours. */
export async function resumeHeldCall(port: ServerPort, call: IncomingCall): Promise<HeldSubmission | undefined> {
  if (call.requestState === undefined) return undefined;
  // Read first: time spent in the store must not count as the client's.
  const now = readSteady(port.clock);
  const state = (await port.openSeal()).open(STATE, call.requestState) as
    | { taskId?: string; tool?: string; seq?: number; sent?: SteadyReading }
    | undefined;
  if (typeof state?.taskId !== 'string') return undefined;
  if (state.tool !== call.name) throw invalidParams('requestState belongs to a call of another tool');
  const engine = await port.openEngine();
  const { principal, client } = call.caller;
  const task = await engine.get(state.taskId, { principal });
  const given = toAnswers(task, call.inputResponses ?? {});
  const answers = dropHeadlessAnswers(port, call, { questions: task.questions, answers: given, sent: state.sent, now });
  if (Object.keys(answers).length > 0) await engine.answer(task.taskId, answers, { principal, client });
  const hold = await claimHold(port, { engine, task });
  return { engine, task, sentSeq: state.seq ?? 0, ...(hold && { hold }) };
}

/** Why the call is no longer held although the task has not ended. */
type LineEnd = Gone['kind'] | 'late' | 'asked';

class HeldCall {
  readonly #port: ServerPort;
  readonly #call: IncomingCall;
  readonly #held: HeldSubmission;
  readonly #stop = new AbortController();
  readonly #progress: HeartbeatProgress | undefined;
  readonly #hold: QueuedHold;
  readonly #startedAt: number;
  #end: LineEnd | undefined;
  #isAnswered = false;

  constructor(port: ServerPort, call: IncomingCall, held: HeldSubmission) {
    this.#port = port;
    this.#call = call;
    this.#held = held;
    const { progressToken, notify } = call.channel;
    const { clock, settings, report } = port;
    const everyMs = settings.progressEveryMs;
    const graceMs = settings.unattendedMs;
    const attend = () => claimHold(port, { ...held, holdKey: held.resumed?.holdKey });
    const { resumed } = held;
    this.#hold = new QueuedHold(held.hold, { clock, graceMs, attend, report, isResumed: resumed !== undefined });
    this.#startedAt = resumed?.startedAt ?? clock.now();
    const before = { last: resumed?.progress, elapsedMs: this.#elapsedMs };
    if (progressToken !== undefined)
      this.#progress = new HeartbeatProgress({ progressToken, clock, everyMs, notify, ...before });
  }

  /** How long the client has waited, in ms; it counts from its call, even if its stream was cut since. */
  get #elapsedMs(): number {
    return Math.max(0, this.#port.clock.now() - this.#startedAt);
  }

  async run(): Promise<RpcResult> {
    const onStop = () => this.#endLine('late');
    const stops = [this.#listen(), this.#keepAsking(), this.#setDeadline(), this.#call.channel.onStop?.(onStop)];
    try {
      const question = await this.#follow();
      return question ?? (await this.#finish());
    } catch (error) {
      // A client that cannot be reached is treated as gone. The task's own failure is an answer like any other.
      if (!this.#isAnswered) await this.#leave({ kind: 'gone' });
      throw error;
    } finally {
      for (const stop of stops) stop?.();
      await this.#progress?.stop();
    }
  }

  #listen(): () => void {
    return this.#call.channel.onGone((gone) => {
      this.#leave(gone).catch(this.#port.report);
      this.#endLine(gone.kind);
    });
  }

  #keepAsking(): (() => void) | undefined {
    const { questions } = this.#call.channel;
    if (!questions) return undefined;
    const { taskId } = this.#held.task;
    const stopAsking = keepAsking(questions, taskId, async () => this.#toAnswerable(await this.#read()));
    const stopListening = questions.asked.onUnshown(taskId, () => void this.#ask(0).catch(this.#port.report));
    return () => {
      stopAsking();
      stopListening();
    };
  }

  #setDeadline(): (() => void) | undefined {
    const patienceMs = this.#port.handOverAfterMs(this.#call, this.#held.turn);
    const waitMs = Math.min(patienceMs, this.#held.waitMs ?? patienceMs);
    if (!Number.isFinite(waitMs)) return undefined;
    return this.#port.clock.after(Math.max(0, waitMs - this.#elapsedMs), () => this.#endLine('late'));
  }

  /** Marks the events up to `seq` as sent, or about to be sent: a resumed stream continues from there. */
  #mark(seq: number): void {
    const { task, hold, isKnown = false, joined, waitMs, turn, resumed } = this.#held;
    const { name: tool, channel } = this.#call;
    const { progressToken } = channel;
    const holdKey = hold?.key ?? resumed?.holdKey;
    channel.mark?.({
      taskId: task.taskId,
      tool,
      seq,
      startedAt: this.#startedAt,
      ...(progressToken !== undefined && { progressToken }),
      ...(holdKey !== undefined && { holdKey }),
      ...(isKnown && { isKnown }),
      ...(joined && { joined }),
      ...(turn !== undefined && { turn }),
      ...(waitMs !== undefined && { waitMs }),
    });
  }

  #endLine(end: LineEnd): void {
    this.#end ??= end;
    this.#stop.abort();
  }

  /** Forwards events; resolves early with the answer that makes the client repeat its request. */
  async #follow(): Promise<RpcResult | undefined> {
    const { engine, task, sentSeq } = this.#held;
    const { taskId, principal, lastSeq } = task;
    const { signal } = this.#stop;
    const afterSeq = sentSeq ?? lastSeq;
    this.#mark(afterSeq);
    if (task.progress) await this.#progress?.report(task.progress.value, task.progress.message);
    const first = task.questions.some(isOpen) ? await this.#ask(afterSeq) : undefined;
    if (first || this.#end) return first;
    for await (const event of engine.watch(taskId, { principal, afterSeq, signal })) {
      const question = await this.#handleEvent(event);
      if (question || this.#end) return question;
    }
    return undefined;
  }

  async #handleEvent(event: TaskEvent | EventGap): Promise<RpcResult | undefined> {
    await this.#show(event);
    return event.type === 'asked' || event.type === 'answered' ? this.#ask(event.seq) : undefined;
  }

  async #show(event: TaskEvent | EventGap): Promise<void> {
    this.#mark(toSeq(event));
    if (event.type === 'progress') await this.#progress?.report(event.value, event.message);
    const { logs } = this.#call.tool?.definition ?? {};
    if (event.type === 'log' && logs !== 'keep') await this.#call.channel.log(event.level, toLogData(event));
  }

  /** Asks the client on its connection, by an answer that makes it repeat its request, or in words. */
  async #ask(seq: number): Promise<RpcResult | undefined> {
    const task = await this.#takeGiven(await this.#read());
    if (!task.questions.some(isOpen)) return undefined;
    const answerable = this.#toAnswerable(task);
    if (answerable.questions.length === 0) return this.#askThroughModel(task);
    const { questions } = this.#call.channel;
    if (questions) await askQuestions(questions, answerable);
    return questions ? undefined : this.#askByAnswer(answerable, seq);
  }

  /** Records the answers that a client sent with its first request: it may know what it will be asked. */
  async #takeGiven(task: Task): Promise<Task> {
    const { requestState, inputResponses, caller } = this.#call;
    const answers = requestState === undefined && inputResponses ? toAnswers(task, inputResponses) : {};
    if (Object.keys(answers).length === 0) return task;
    const { principal, client } = caller;
    await this.#held.engine.answer(task.taskId, answers, { principal, client });
    return this.#read();
  }

  /** Returns the task with only the open questions that this client can be asked. */
  #toAnswerable(task: Task): Task {
    const { capabilities } = this.#call.caller;
    const cannotShow = isHeadless(this.#port, this.#call);
    const isAnswerable = (question: Question) =>
      isOpen(question) && canAnswer(question, capabilities) && !(cannotShow && isForPerson(question));
    return { ...task, questions: task.questions.filter(isAnswerable) };
  }

  /** Asks a person by way of the model. A question that is not for a person is declined: the client cannot answer it. */
  async #askThroughModel(task: Task): Promise<undefined> {
    const { engine } = this.#held;
    const { taskId, principal } = task;
    for (const question of task.questions.filter(isOpen)) {
      const answer = { [question.key]: { action: 'decline' } } as const;
      if (isForPerson(question)) this.#endLine('asked');
      else await engine.answer(taskId, answer, { principal, client: this.#call.caller.client });
    }
  }

  async #askByAnswer(task: Task, seq: number): Promise<RpcResult> {
    await this.#catchUp(task, seq);
    const seal = await this.#port.openSeal();
    // The call is not held while a person thinks; the request with the answer comes back with the state.
    await this.#hold.leave(this.#port.settings.unansweredMs);
    const sent = { ...readSteady(this.#port.clock) };
    const content = { taskId: task.taskId, tool: this.#call.name, seq: Math.max(seq, task.lastSeq), sent };
    const requestState = seal.seal(STATE, content);
    return { resultType: 'input_required', inputRequests: toInputRequests(task), requestState };
  }

  /** Sends the events before a question first, also when the question was read before them. */
  async #catchUp({ taskId, principal, lastSeq }: Task, afterSeq: number): Promise<void> {
    if (afterSeq >= lastSeq) return;
    const { signal } = this.#stop;
    for await (const event of this.#held.engine.watch(taskId, { principal, afterSeq, signal })) {
      await this.#show(event);
      if (toSeq(event) >= lastSeq) return;
    }
  }

  async #finish(): Promise<RpcResult> {
    // Checked before and after the read: the client may disconnect meanwhile, and would not read the answer.
    if (this.#hasLeft) return {};
    const task = await this.#read();
    if (this.#hasLeft) return {};
    if (isTerminal(task.status)) {
      this.#isAnswered = true;
      const joinMs = this.#call.tool?.joinMs ?? this.#port.settings.joinMs;
      this.#port.followAnswer(this.#hold, { fate: this.#call.channel.followAnswer(), joinMs });
      return this.#toResult(task, joinMs);
    }
    await this.#hold.handOver();
    const isError = this.#call.tool?.parseOutput !== undefined;
    const { engine, turn = 0 } = this.#held;
    const prefix = toShownPrefix(this.#port, this.#call.caller);
    return { ...toHandOver(task, { now: engine.now(), isError, prefix, turn: turn + 1 }) };
  }

  get #hasLeft(): boolean {
    return this.#end === 'gone' || this.#end === 'cancelled';
  }

  #toResult(task: Task, joinMs: number): RpcResult {
    const { joined, engine } = this.#held;
    if (!joined) return toFinalResult(task);
    const options = { joining: joined, now: engine.now(), againMs: joinMs };
    try {
      return withJoined(toFinalResult(task), task, options);
    } catch (error) {
      throw error instanceof RpcFailure ? joinedFailure(error, task, options) : error;
    }
  }

  async #leave(gone: Gone): Promise<void> {
    const { engine, task, isKnown } = this.#held;
    if (isKnown) return this.#hold.handOver();
    if (gone.kind === 'gone') return this.#hold.leave();
    const { client } = this.#call.caller;
    const { reason } = gone;
    await this.#hold.close(() => engine.cancel(task.taskId, { principal: task.principal, client, reason }));
  }

  #read(): Promise<Task> {
    const { taskId, principal } = this.#held.task;
    return this.#held.engine.get(taskId, { principal });
  }
}

function toSeq(event: TaskEvent | EventGap): number {
  return event.type === 'gap' ? event.to : event.seq;
}
