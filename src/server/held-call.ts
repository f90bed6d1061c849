/**
 * Holds the line for a client that knows nothing of tasks.
 *
 * The call is a task like any other. While it is held, its progress goes to the client and its questions are asked: on
 * the line (legacy), or by an `input_required` answer that the client repeats together with its answers (modern). When
 * the client goes away the task becomes unattended; only an explicit cancel ends it at once.
 */
import { canAnswer, toInputRequest } from '../dialects/mcp-input.ts';
import { toQuestionId } from '../dialects/tasks-2025/question-request.ts';
import { toAnswers } from '../dialects/tasks-2026/server.ts';
import { toInputRequests } from '../dialects/tasks-2026/wire.ts';
import type { TaskEvent } from '../task/event.ts';
import type { Json } from '../task/json.ts';
import { isOpen, type Question } from '../task/question.ts';
import { type Gone, type IncomingCall, toLogData } from './caller.ts';
import { invalidParams } from './rpc-error.ts';
import type { ServerParts } from './server-parts.ts';
import { type RpcResult, type Submitted, toFinalResult } from './submit-call.ts';

const STATE = 'held';

/** Waits for the end of a task on the line of a call; resolves with its result, or with a question for the client. */
export async function holdCall(parts: ServerParts, call: IncomingCall, held: Held): Promise<RpcResult> {
  const { engine, task } = held;
  const { taskId, principal } = task;
  const left = new AbortController();
  parts.unattended.attend(taskId);
  const stopListening = call.line.onGone((gone) => {
    leave(parts, held, gone);
    left.abort();
  });
  const report = createProgressReporter(call);
  try {
    for await (const event of engine.watch(taskId, { principal, signal: left.signal })) {
      if (event.type === 'progress') await report(event);
      if (event.type === 'log' && event.seq > (held.toldSeq ?? 0)) await call.line.log(event.level, toLogData(event));
      if (event.type === 'asked') {
        const answer = await ask(parts, call, { held, key: event.key, seq: event.seq });
        if (answer) {
          // Nobody holds the line while a person thinks; whoever answers comes back with the state.
          parts.unattended.leave(taskId, parts.settings.unansweredMs);
          return answer;
        }
      }
    }
    // Nobody reads what is answered after the client has left.
    return left.signal.aborted ? {} : toFinalResult(await engine.get(taskId, { principal }));
  } finally {
    stopListening();
  }
}

/** The held call that a repeated request goes on with, its answers recorded; nothing when the state is not ours. */
export async function resumeHeldCall(parts: ServerParts, call: IncomingCall): Promise<Held | undefined> {
  if (call.requestState === undefined) return undefined;
  const state = (await parts.openSeal()).open(STATE, call.requestState) as
    | { taskId?: string; tool?: string; seq?: number }
    | undefined;
  if (typeof state?.taskId !== 'string') return undefined;
  if (state.tool !== call.name) throw invalidParams('requestState belongs to a call of another tool');
  const engine = await parts.openEngine();
  const { principal } = call.caller;
  const task = await engine.get(state.taskId, { principal });
  const answers = toAnswers(task, call.inputResponses ?? {});
  if (Object.keys(answers).length > 0) await engine.answer(task.taskId, answers, { principal });
  return { engine, task, toldSeq: state.seq ?? 0 };
}

/** A held call; the client has been told what was logged up to `toldSeq`. */
interface Held extends Submitted {
  readonly toldSeq?: number;
}

interface Asking {
  readonly held: Submitted;
  readonly key: string;
  readonly seq: number;
}

/** Asks the client on its line, or returns the answer that makes it repeat its request. */
async function ask(parts: ServerParts, call: IncomingCall, { held, key, seq }: Asking): Promise<RpcResult | undefined> {
  const { engine, task } = held;
  const { taskId, principal } = task;
  const now = await engine.get(taskId, { principal });
  const question = now.questions.find((one) => one.key === key && isOpen(one));
  if (!question) return undefined;
  if (!canAnswer(question, call.caller.capabilities)) {
    await engine.answer(taskId, { [key]: { action: 'decline' } }, { principal });
    return undefined;
  }
  if (call.line.request) {
    await sendQuestion(call, taskId, question);
    return undefined;
  }
  const requestState = (await parts.openSeal()).seal(STATE, { taskId, tool: call.name, seq });
  const questions = now.questions.filter((one) => canAnswer(one, call.caller.capabilities));
  return { resultType: 'input_required', inputRequests: toInputRequests({ ...now, questions }), requestState };
}

async function sendQuestion(call: IncomingCall, taskId: string, question: Question): Promise<void> {
  const { method, params } = toInputRequest(taskId, question);
  await call.line.request?.(toQuestionId(taskId, question.key), method, params);
}

function leave(parts: ServerParts, { engine, task }: Submitted, gone: Gone): void {
  const { taskId, principal } = task;
  if (gone.kind === 'gone') parts.unattended.leave(taskId);
  else engine.cancel(taskId, { principal, reason: gone.reason }).catch((error) => parts.report(error));
}

/** Progress of a call may only rise, and goes only to those who asked for it. */
function createProgressReporter({ line }: IncomingCall): (event: TaskEvent & { type: 'progress' }) => Promise<void> {
  let last = -1;
  return async ({ value, message }) => {
    if (line.progressToken === undefined || value <= last) return;
    last = value;
    const params: { [key: string]: Json } = { progressToken: line.progressToken, progress: value };
    if (value <= 1) params.total = 1;
    if (message !== undefined) params.message = message;
    await line.notify('notifications/progress', params);
  };
}
