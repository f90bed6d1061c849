/**
 * Sends one call and finds out what its answer is.
 *
 * What has been sent is never sent again, unless the server is known to recognise it by its key.
 */

import type { Clock } from '../../clock.ts';
import type { OutgoingCall } from '../../dialects/host-dialect.ts';
import type { CallHandle, CallOutcome, JsonObject, Reply } from '../../dialects/host-port.ts';
import { IDEMPOTENCY_META, isHoldfast } from '../../dialects/shared/holdfast-server.ts';
import type { InputRequest } from '../../dialects/shared/questions/mcp-input.ts';
import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { Json } from '../../task/json.ts';
import type { HostDialects } from '../host-dialects.ts';
import type { CallRecord } from '../ledger/contract.ts';
import { isPassing } from '../servers/passing-failure.ts';
import type { ServerConnection } from '../servers/server-connection.ts';
import { unlessAborted } from '../servers/when-aborted.ts';
import { toParamHeaders } from '../transports/param-headers.ts';
import type { CallQuestions } from './call-questions.ts';
import type { EarlyNotifications } from './early-notifications.ts';
import { isUnacked } from './send-mark.ts';
import { isUndecided } from './undecided.ts';
import { afterFailure, pauseFor, type WaitingCall, waitForServer } from './wait-for-server.ts';

export interface SentCall extends WaitingCall {
  readonly record: CallRecord;
  readonly dialects: HostDialects;
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
  let { isRepeat } = call;
  for (;;) {
    const target = isRepeat ? await findPatiently(call) : await findTarget(call);
    if (isRepeat && !canRepeat(target, call)) return toUnanswered(call);
    try {
      await call.mark.goes();
      const reply = await exchange(call, target);
      if (!canRepeat(target, call) || !isUndecided(reply, isRepeat)) return interpret(reply, target, call);
      await pauseFor(call, new Error(reply.error.message));
      isRepeat = true;
    } catch (error) {
      isRepeat = await afterFailure(call, error, isRepeat);
    }
  }
}

/** What a call is sent to. */
interface Target {
  readonly connection: ServerConnection;
  /** As the server lists it, if it does. Not looked for when the dialect of the call is known before it is sent. */
  readonly tool: JsonObject | undefined;
}

/** The handle of a call whose dialect has prepared it: it is sent as it was prepared, and read by that dialect alone. */
function toPrepared({ record }: SentCall): CallHandle | undefined {
  return isUnacked(record.handle) ? record.handle : undefined;
}

/** Tries until the server is there, for as long as that may help and the call waits. */
async function findTarget(call: SentCall): Promise<Target> {
  for (;;) {
    try {
      return await reachTarget(call);
    } catch (error) {
      await waitForServer(call, error);
    }
  }
}

async function reachTarget(call: SentCall): Promise<Target> {
  const { record, server, signal } = call;
  const connection = await server.connection(signal);
  if (toPrepared(call)) return { connection, tool: undefined };
  const tools = await unlessAborted(connection.tools(), signal).catch((error: unknown) => {
    if (isPassing(error) || signal.aborted) throw error;
    // Without a list the call itself will tell what is wrong.
    return [];
  });
  return { connection, tool: tools.find(({ name }) => name === record.tool) };
}

/** Whether a call may be sent again must not depend on a list that just could not be had. */
async function findPatiently(call: SentCall): Promise<Target> {
  const { record, server, signal, absence } = call;
  for (;;) {
    const connection = await server.patientConnection(signal, (error) => absence.failed(error));
    if (toPrepared(call)) return { connection, tool: undefined };
    try {
      const tools = await unlessAborted(connection.tools(), signal);
      return { connection, tool: tools.find(({ name }) => name === record.tool) };
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
  const headers = () => toParamHeaders(target.tool, record.args);
  const onLeft = (late: Promise<Reply | undefined>) =>
    call.onLeft(late.then((reply) => reply && interpret(reply, target, call)));
  const onId = (id: string) => call.early.sentAs(id);
  let params = first;
  questions.startOver();
  for (let round = 0; ; round++) {
    const reply = await target.connection.request('tools/call', params, { signal, headers, callId, onId, onLeft });
    if (toPrepared(call) || !asksFirst(reply) || round === MAX_ROUNDS) return reply;
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

function toParams(call: SentCall, target: Target): JsonObject {
  const { callId, tool, args, meta = {} } = call.record;
  const params = { name: tool, arguments: args };
  if (toPrepared(call)) return { ...params, _meta: meta };
  const outgoing = toOutgoing(call, target);
  let dress: JsonObject = {};
  let dressedMeta: JsonObject = meta;
  for (const dialect of call.dialects.list) {
    const { _meta, ...more } = (dialect.dress?.(outgoing) ?? {}) as { readonly [key: string]: Json };
    dress = { ...dress, ...more } as JsonObject;
    dressedMeta = { ...dressedMeta, ...(_meta as JsonObject | undefined) };
  }
  return { ...params, _meta: { ...dressedMeta, [IDEMPOTENCY_META]: callId, progressToken: callId }, ...dress };
}

function toOutgoing(
  { record, server: { spec, isStdio } }: SentCall,
  { connection, tool: listed }: Target,
): OutgoingCall {
  const { tool, meta = {} } = record;
  const { era, capabilities } = connection;
  return { tool, meta, listed, server: { era, capabilities, isStdio }, spec: { ...spec } };
}

/** Only work that is a task is recognised by its key, or by the id that its dialect has prepared. */
function canRepeat({ connection, tool }: Target, call: SentCall): boolean {
  return isHoldfast(connection) && (tool?.async === true || toPrepared(call) !== undefined);
}

function interpret(reply: Reply, target: Target, call: SentCall): Interpreted {
  if (reply.kind === 'error') return toOutcome({ kind: 'error', error: reply.error });
  const { result } = reply;
  const handle = readHandle(result, target, call);
  if (handle) return { kind: 'handle', handle };
  const { resultType = 'complete', ...plain } = result;
  if (resultType !== 'complete') return toOutcome(toUnsupported(resultType));
  return toOutcome({ kind: 'result', result: plain as JsonObject, isError: result.isError === true });
}

/** Asks the dialects whose answer it is; nothing when it is the result itself. */
function readHandle(result: JsonObject, target: Target, call: SentCall): CallHandle | undefined {
  const { dialects, early, clock } = call;
  const prepared = toPrepared(call);
  const answer = { ...toOutgoing(call, target), result, rpcId: early.rpcId, now: clock.now(), handle: prepared };
  for (const dialect of prepared ? [dialects.find(prepared)] : dialects.list) {
    const handle = dialect.read({ ...answer, early: early.of(dialect.name) });
    if (handle) return prepared ? { ...handle, isAcked: true } : withSession(handle, target.connection);
  }
  return undefined;
}

/** Where a task may be known to its session only. A server of ours knows it in any session. */
function withSession(handle: CallHandle, connection: ServerConnection): CallHandle {
  const session = isHoldfast(connection) ? undefined : connection.session;
  return session ? { ...handle, session } : handle;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#result-type: what is not known is an error. */
function toUnsupported(resultType: Json): CallOutcome {
  const message =
    resultType === 'input_required'
      ? `the server asked ${MAX_ROUNDS} times before it began`
      : `the server answered with the result type ${JSON.stringify(resultType)}, which is not known`;
  return { kind: 'error', error: { code: RPC_CODES.INTERNAL_ERROR, message } };
}

/** For a call that may have arrived and cannot be sent again: a handle that is known can still be followed. */
function toUnanswered(call: SentCall): Interpreted {
  const handle = toPrepared(call);
  if (handle) return { kind: 'handle', handle };
  const reason = 'outcome unknown: the line was lost before the server answered, and it cannot be asked again';
  return toOutcome({ kind: 'interrupted', reason });
}

function toOutcome(outcome: CallOutcome): Interpreted {
  return { kind: 'outcome', outcome };
}
