/**
 * Sends one call and makes out what its answer is.
 *
 * What has been sent is never sent again, unless the server is known to recognise it by its key.
 */
import type { Clock } from '../../clock.ts';
import type { CallOutcome, JsonObject, Reply } from '../../dialects/host-port.ts';
import { readJob } from '../../dialects/job/host.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import { expectsStream } from '../../dialects/stream/expect-stream.ts';
import { readStream, type StreamedCall } from '../../dialects/stream/host.ts';
import { readTask2025 } from '../../dialects/tasks-2025/host.ts';
import { readTask2026 } from '../../dialects/tasks-2026/host.ts';
import { isTaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import type { CallHandle, CallRecord } from '../ledger/contract.ts';
import { isPassing } from '../servers/passing-failure.ts';
import { IDEMPOTENCY_META, isHoldfast, type ServerConnection } from '../servers/server-connection.ts';
import { afterFailure, pauseFor, type WaitingCall, whenReached } from '../servers/wait-for-server.ts';
import { toParamHeaders } from '../transports/param-headers.ts';
import { isUndecided } from '../undecided.ts';
import { unlessAborted } from '../when-aborted.ts';
import type { CallQuestions } from './call-questions.ts';
import type { EarlyNotifications } from './early-notifications.ts';
import { isUnsent, sendUiPrompts } from './ui-prompts-call.ts';

export interface SentCall extends WaitingCall {
  readonly record: CallRecord;
  readonly questions: CallQuestions;
  /** Hears what is told of it before its answer. */
  readonly early: EarlyNotifications;
  readonly clock: Clock;
  /** It may have been sent before. */
  readonly isRepeat: boolean;
  /** It is out, and nobody waits any longer: the answer that still comes, or nothing if none can. */
  onLeft(late: Promise<Interpreted | undefined>): void;
}

export type Interpreted =
  | { readonly kind: 'handle'; readonly handle: CallHandle }
  | { readonly kind: 'outcome'; readonly outcome: CallOutcome };

// A server that asks without end has gone wrong.
const MAX_ROUNDS = 50;

export async function sendCall(call: SentCall): Promise<Interpreted> {
  if (isUnsent(call.record.handle)) return sendUiPrompts(call, call.record.handle);
  let { isRepeat } = call;
  for (;;) {
    const target = isRepeat ? await findPatiently(call) : await whenReached(call, () => findTarget(call));
    if (isRepeat && !canRepeat(target)) return toOutcome(toUnknown());
    try {
      await call.mark.goes();
      const reply = await exchange(call, target);
      if (!canRepeat(target) || !isUndecided(reply, isRepeat)) return interpret(reply, target, call);
      await pauseFor(call, new Error(reply.error.message));
      isRepeat = true;
    } catch (error) {
      isRepeat = await afterFailure(call, error, isRepeat);
    }
  }
}

/** What a call is sent to. */
interface Target {
  readonly line: ServerConnection;
  /** As the server lists it, if it does. */
  readonly tool: JsonObject | undefined;
}

async function findTarget({ record, link, signal }: SentCall): Promise<Target> {
  const line = await link.connection(signal);
  const tools = await unlessAborted(line.tools(), signal).catch((error: unknown) => {
    if (isPassing(error) || signal.aborted) throw error;
    // Without a list the call itself will tell what is wrong.
    return [];
  });
  return { line, tool: tools.find(({ name }) => name === record.tool) };
}

/** Whether a call may be sent again must not depend on a list that just could not be had. */
async function findPatiently(call: SentCall): Promise<Target> {
  const { record, link, signal, absence } = call;
  for (;;) {
    const line = await link.patientConnection(signal, (error) => absence.failed(error));
    try {
      const tools = await unlessAborted(line.tools(), signal);
      return { line, tool: tools.find(({ name }) => name === record.tool) };
    } catch (error) {
      if (isTaskError(error, 'RESULT_TOO_LARGE') || signal.aborted) throw error;
      await pauseFor(call, error);
    }
  }
}

/** Sends the call, and again with answers for as long as the server asks before it begins. */
async function exchange(call: SentCall, target: Target): Promise<Reply> {
  const { record, questions, signal } = call;
  const { callId } = record;
  const first = toParams(call, target);
  const headers = toParamHeaders(target.tool, record.args);
  const onLeft = (late: Promise<Reply | undefined>) =>
    call.onLeft(late.then((reply) => reply && interpret(reply, target, call)));
  const onId = (id: string) => call.early.expect(id);
  let params = first;
  questions.startOver();
  for (let round = 0; ; round++) {
    const reply = await target.line.request('tools/call', params, { signal, headers, callId, onId, onLeft });
    if (!asksFirst(reply) || round === MAX_ROUNDS) return reply;
    const { inputRequests, requestState } = reply.result;
    const inputResponses = await answerAll(questions, (inputRequests ?? {}) as JsonObject);
    params = { ...first, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
}

function asksFirst(reply: Reply): reply is Reply & { kind: 'result' } {
  return reply.kind === 'result' && reply.result.resultType === 'input_required';
}

async function answerAll(questions: CallQuestions, requests: JsonObject): Promise<JsonObject> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    return [key, await questions.askUnnamed(request as unknown as InputRequest)] as const;
  });
  return Object.fromEntries(await Promise.all(answers)) as JsonObject;
}

function toParams({ record, link }: SentCall, target: Target): JsonObject {
  const { callId, tool, args, meta } = record;
  const stream = isExpected(record, link) && { stream: true };
  const params = {
    name: tool,
    arguments: args,
    _meta: { ...meta, ...stream, [IDEMPOTENCY_META]: callId, progressToken: callId },
  };
  return (takesTasks2025(target) ? { ...params, task: {} } : params) as JsonObject;
}

function isExpected({ tool, meta = {} }: CallRecord, { stream }: SentCall['link']): boolean {
  return expectsStream({ tool, meta, option: stream });
}

/** A plain call of a tool that may be a task would be held, and lost with its line. */
function takesTasks2025({ line: { era, capabilities }, tool }: Target): boolean {
  const { tasks } = capabilities as { tasks?: { requests?: { tools?: { call?: unknown } } } };
  const support = (tool?.execution as { taskSupport?: Json } | undefined)?.taskSupport;
  const isSupported = support === 'optional' || support === 'required';
  return era === 'legacy' && tasks?.requests?.tools?.call !== undefined && isSupported;
}

/** Only work that is a task is recognised by its key. */
function canRepeat({ line, tool }: Target): boolean {
  return isHoldfast(line) && tool?.async === true;
}

function interpret(reply: Reply, { line, tool }: Target, call: SentCall): Interpreted {
  if (reply.kind === 'error') return toOutcome({ kind: 'error', error: reply.error });
  const { result } = reply;
  const isAsync = tool?.async === true;
  const now = call.clock.now();
  const handle =
    (line.era === 'modern' ? readTask2026(result, now) : readTask2025(result, now)) ??
    readJob(result, { canWait: isHoldfast(line), isAsync }) ??
    readStream(result, toStreamed(call, line));
  if (handle) return { kind: 'handle', handle: withSession(handle, line) };
  const { resultType = 'complete', ...plain } = result;
  if (resultType !== 'complete') return toOutcome(toUnsupported(resultType));
  return toOutcome({ kind: 'result', result: plain as JsonObject, isError: result.isError === true });
}

/** Where a task may be known to its session only. A server of ours knows it in any session. */
function withSession(handle: CallHandle, line: ServerConnection): CallHandle {
  const session = isHoldfast(line) ? undefined : line.session;
  return session ? { ...handle, session } : handle;
}

/** A server of ours says itself when it streams; another one has done so, or is expected to. */
function toStreamed({ record, link, early }: SentCall, line: ServerConnection): StreamedCall {
  const { tool, meta = {} } = record;
  const isTold = link.stream !== false && meta.stream !== false && early.isStreamed;
  const isStreamed = !isHoldfast(line) && (isTold || isExpected(record, link));
  return { rpcId: early.rpcId, tool, meta, isStreamed };
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#result-type: what is not known is an error. */
function toUnsupported(resultType: Json): CallOutcome {
  const message =
    resultType === 'input_required'
      ? `the server asked ${MAX_ROUNDS} times before it began`
      : `the server answered with the result type ${JSON.stringify(resultType)}, which is not known`;
  return { kind: 'error', error: { code: -32603, message } };
}

function toUnknown(): CallOutcome {
  const reason = 'outcome unknown: the line was lost before the server answered, and it cannot be asked again';
  return { kind: 'interrupted', reason };
}

function toOutcome(outcome: CallOutcome): Interpreted {
  return { kind: 'outcome', outcome };
}
