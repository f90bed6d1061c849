/**
 * Sends one call and determines what its response means.
 *
 * A call that was sent is never sent again, unless the server is known to recognise it by its key or repeating it is allowed.
 */

import type { Clock } from '../../../clock.ts';
import type { OutgoingCall } from '../../../dialects/host-dialect.ts';
import type { CallHandle, JsonObject, Reply } from '../../../dialects/host-port.ts';
import { IDEMPOTENCY_META, isHoldfast } from '../../../dialects/shared/holdfast-server.ts';
import type { InputRequest } from '../../../dialects/shared/questions/mcp-input.ts';
import { isTaskError } from '../../../errors.ts';
import type { Json } from '../../../task/json.ts';
import type { HostDialects } from '../../host-dialects.ts';
import type { CallRecord } from '../../ledger/contract.ts';
import type { HostTool } from '../../servers/host-tool.ts';
import type { ServerConnection } from '../../servers/server-connection.ts';
import { isTransient } from '../../servers/transient-failure.ts';
import { unlessAborted } from '../../servers/when-aborted.ts';
import type { HttpSession } from '../../transports/http-session.ts';
import type { KeptCall } from '../../transports/keeping-transport.ts';
import { toParamHeaders } from '../../transports/param-headers.ts';
import type { HttpSpec, ServerSpec, StdioSpec } from '../../transports/server-spec.ts';
import type { CallQuestions } from '../call-questions.ts';
import type { EarlyNotifications } from './early-notifications.ts';
import { mayRepeat } from './may-repeat.ts';
import { asksFirst, type Interpreted, isRecognised, MAX_ROUNDS, readAnswer } from './read-answer.ts';
import { isUnacked } from './send-mark.ts';
import { isUndecided } from './undecided.ts';
import { handleSendFailure, pauseBeforeRetry, type WaitingCall, waitForServer } from './wait-for-server.ts';

export interface SentCall extends WaitingCall {
  readonly record: CallRecord;
  readonly dialects: HostDialects;
  readonly questions: CallQuestions;
  /** Receives notifications about the call before its response. */
  readonly early: EarlyNotifications;
  readonly clock: Clock;
  /** Whether keepers can write the outcome of its response to the ledger. */
  readonly canKeepersWrite: boolean;
  /** Whether it may have been sent before. */
  readonly isRepeat: boolean;
  /** Whether the ledger has its handle or outcome. */
  isWritten(): Promise<boolean>;
  /**
   * Called when waiting stops after the call was sent, with a promise of the answer that may still arrive (`undefined` if none
   * can).
   */
  onLeft(late: Promise<Interpreted | undefined>): void;
}

// A call that broke its server this often will break it again.
const MAX_REPEATS = 3;

export async function sendCall(call: SentCall): Promise<Interpreted | 'written'> {
  let { isRepeat } = call;
  let isAnswered = false;
  for (let repeats = 0; ; ) {
    const target = isRepeat ? await findTargetPatiently(call) : await findTarget(call);
    const earlier = isRepeat ? await checkEarlierAttempt(call, target, { repeats, isAnswered }) : NOTHING;
    if (earlier.answer) return earlier.answer;
    isRepeat &&= !earlier.isUnsent;
    repeats += Number(earlier.isBlindRepeat ?? false);
    isAnswered = false;
    try {
      const reply = await exchange(call, target, earlier.reply);
      if (!canRepeat(target, call) || !isUndecided(reply, isRepeat)) return interpret(reply, target, call);
      await pauseBeforeRetry(call, new Error(reply.error.message));
      isRepeat = true;
      isAnswered = true;
    } catch (error) {
      isRepeat = await handleSendFailure(call, error, isRepeat);
    }
  }
}

/** What is known of a call that may have been sent before. */
interface EarlierAttempt {
  /** The call is in progress: this is its response. */
  readonly reply?: Promise<Reply>;
  /** The answer is known: nothing more is sent. */
  readonly answer?: Interpreted | 'written';
  /** It was certainly not sent. */
  readonly isUnsent?: boolean;
  /** It is sent again to a server that does not recognise it. */
  readonly isBlindRepeat?: boolean;
}

const NOTHING: EarlierAttempt = {};

interface AttemptHistory {
  /** How often it was sent again to a server that does not recognise it. */
  readonly repeats: number;
  /** Whether the last request was answered: only a new request can change that answer. */
  readonly isAnswered: boolean;
}

async function checkEarlierAttempt(
  call: SentCall,
  target: Target,
  { repeats, isAnswered }: AttemptHistory,
): Promise<EarlierAttempt> {
  const { connection, tool } = target;
  const { callId } = call.record;
  call.questions.startOver();
  // Joining at the keeper would return the same answer again, for ever.
  if (isAnswered && canRepeat(target, call)) return NOTHING;
  const joined = await connection.join(callId, toRequestOptions(call, target));
  if (joined.word === 'kept') return { reply: joined.reply };
  const isUnsent = joined.word === 'unknown' && (await connection.wasNeverSent(callId, call.mark.keeper));
  // Checked only now: an earlier keeper may have written it to the ledger just before it ended.
  if (await call.isWritten()) return { answer: 'written' };
  // The keeper counts a call that was just cancelled as lost; it must be neither sent again nor reported as unknown.
  call.signal.throwIfAborted();
  if (isUnsent) return { isUnsent };
  if (canRepeat(target, call)) return NOTHING;
  const isAllowed = repeats < MAX_REPEATS && !toPreparedHandle(call) && mayRepeat(call, tool);
  return isAllowed ? { isBlindRepeat: true } : { answer: toUnanswered(call) };
}

/** Where a call is sent to. */
interface Target {
  readonly connection: ServerConnection;
  /** The tool as the server lists it, if it does. Not fetched when the dialect of the call is known before it is sent. */
  readonly tool: HostTool | undefined;
}

/**
 * Returns the handle of a call that its dialect has prepared. Such a call is sent as prepared, and only that dialect reads the
 * response.
 */
function toPreparedHandle({ record }: SentCall): CallHandle | undefined {
  return isUnacked(record.handle) ? record.handle : undefined;
}

/** Retries until the server is reachable, as long as retrying can help and the call is waited for. */
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
  const { server, signal } = call;
  const connection = await server.connection(signal);
  if (toPreparedHandle(call)) return toTarget(call, connection);
  const tools = await unlessAborted(connection.tools(), signal).catch((error: unknown) => {
    if (isTransient(error) || signal.aborted) throw error;
    // Without a tool list, the response to the call itself will show what is wrong.
    return [];
  });
  return toTarget(call, connection, tools);
}

/** Called last, and only for a reachable server: the keeper over HTTP is started only for a call that goes through it. */
async function toTarget(
  call: SentCall,
  connection: ServerConnection,
  tools: readonly HostTool[] = [],
): Promise<Target> {
  await unlessAborted(connection.whenKept(), call.signal);
  return { connection, tool: tools.find(({ name }) => name === call.record.tool) };
}

/** Retries the tool list: a temporary failure to list tools must not decide whether a call may be sent again. */
async function findTargetPatiently(call: SentCall): Promise<Target> {
  const { server, signal, reachability } = call;
  for (;;) {
    const connection = await server.patientConnection(signal, (error) => reachability.failed(error));
    if (toPreparedHandle(call)) return toTarget(call, connection);
    try {
      const tools = await unlessAborted(connection.tools(), signal);
      return await toTarget(call, connection, tools);
    } catch (error) {
      if (isTaskError(error, 'RESULT_TOO_LARGE') || signal.aborted) throw error;
      await pauseBeforeRetry(call, error);
    }
  }
}

function toRequestOptions(call: SentCall, target: Target) {
  const onLeft = (late: Promise<Reply | undefined>) =>
    call.onLeft(late.then((reply) => reply && interpret(reply, target, call)));
  return { signal: call.signal, onId: (id: string) => call.early.sentAs(id), onLeft };
}

/**
 * Returns what the keeper of the server needs to read the response when this host is gone. Not everything can be expressed in
 * JSON.
 */
function toKept(call: SentCall, target: Target): KeptCall {
  const { record, dialects } = call;
  const { callId } = record;
  if (!call.canKeepersWrite || dialects.hasOwn) return { callId };
  const outgoing = { ...toOutgoing(call, target), spec: withoutConnectionFields(call.server.spec) };
  const handle = toPreparedHandle(call);
  const session = toSession(target);
  const context = { outgoing, ...(handle && { handle }), ...(session && { session }) };
  return { callId, context: context as unknown as JsonObject };
}

/** Returns the spec without the fields that say how the server is reached, which may be secret. */
function withoutConnectionFields(spec: ServerSpec): object {
  const { command: _command, args: _args, env: _env, passEnv: _passEnv, ...rest } = spec as StdioSpec;
  const { url: _url, headers: _headers, fetch: _fetch, ...traits } = rest as Partial<HttpSpec>;
  return traits;
}

/**
 * Sends the call, and sends it again with answers for as long as the server asks questions before it starts. A call that is
 * already in progress is only awaited.
 */
async function exchange(call: SentCall, target: Target, pendingReply?: Promise<Reply>): Promise<Reply> {
  const { record, questions } = call;
  const { callId } = record;
  const first = toParams(call, target);
  const headers = () => toParamHeaders(target.tool as JsonObject | undefined, record.args);
  const kept = target.connection.keeper === undefined ? undefined : toKept(call, target);
  const options = { ...toRequestOptions(call, target), headers, callId, kept };
  let params = first;
  if (!pendingReply) {
    await call.mark.recordSending(target.connection.keeper);
    questions.startOver();
  }
  for (let round = 0; ; round++) {
    const isPending = round === 0 && pendingReply !== undefined;
    const reply = await (isPending ? pendingReply : target.connection.request('tools/call', params, options));
    if (toPreparedHandle(call) || !asksFirst(reply) || round === MAX_ROUNDS) return reply;
    const { inputRequests, requestState } = reply.result;
    const inputResponses = await answerAll(questions, (inputRequests ?? {}) as JsonObject);
    params = { ...first, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
}

async function answerAll(questions: CallQuestions, requests: JsonObject): Promise<JsonObject> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    return [key, await questions.askUnnamed(request as unknown as InputRequest, key)] as const;
  });
  return Object.fromEntries(await Promise.all(answers)) as JsonObject;
}

function toParams(call: SentCall, target: Target): JsonObject {
  const { callId, tool, args, meta = {} } = call.record;
  const params = { name: tool, arguments: args };
  if (toPreparedHandle(call)) return { ...params, _meta: meta };
  const outgoing = toOutgoing(call, target);
  let extraParams: JsonObject = {};
  let extendedMeta: JsonObject = meta;
  for (const dialect of call.dialects.list) {
    const { _meta, ...more } = (dialect.dress?.(outgoing) ?? {}) as { readonly [key: string]: Json };
    extraParams = { ...extraParams, ...more } as JsonObject;
    extendedMeta = { ...extendedMeta, ...(_meta as JsonObject | undefined) };
  }
  return { ...params, _meta: { ...extendedMeta, [IDEMPOTENCY_META]: callId, progressToken: callId }, ...extraParams };
}

function toOutgoing(
  { record, server: { spec, isStdio } }: SentCall,
  { connection, tool: listed }: Target,
): OutgoingCall {
  const { tool, meta = {} } = record;
  const { era, capabilities } = connection;
  return {
    tool,
    meta,
    listed: listed as JsonObject | undefined,
    server: { era, capabilities, isStdio },
    spec: { ...spec },
  };
}

function canRepeat({ connection, tool: listed }: Target, call: SentCall): boolean {
  return isRecognised({ server: connection, listed, handle: toPreparedHandle(call) });
}

/** Reads what the response says about the call. */
function interpret(reply: Reply, target: Target, call: SentCall): Interpreted {
  const { dialects, early, clock } = call;
  const handle = toPreparedHandle(call);
  const outgoing = toOutgoing(call, target);
  const answered = { ...outgoing, handle, rpcId: early.rpcId, now: clock.now(), early, session: toSession(target) };
  return readAnswer(reply, answered, dialects);
}

/**
 * Returns the session to store with the handle, since a server may know a task only in its session. A Holdfast server knows it in
 * any.
 */
function toSession({ connection }: Target): HttpSession | undefined {
  return isHoldfast(connection) ? undefined : connection.session;
}

/** For a call that may have arrived and cannot be sent again: a known handle can still be followed. */
function toUnanswered(call: SentCall): Interpreted {
  const handle = toPreparedHandle(call);
  if (handle) return { kind: 'handle', handle };
  const reason = 'outcome unknown: the line was lost before the server answered, and it cannot be asked again';
  return { kind: 'outcome', outcome: { kind: 'interrupted', reason } };
}
