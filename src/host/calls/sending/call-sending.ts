/**
 * Sends one call and finds out what its answer is.
 *
 * What has been sent is never sent again, unless the server is known to recognise it by its key.
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
import { isPassing } from '../../servers/passing-failure.ts';
import type { ServerConnection } from '../../servers/server-connection.ts';
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
import { afterFailure, pauseFor, type WaitingCall, waitForServer } from './wait-for-server.ts';

export interface SentCall extends WaitingCall {
  readonly record: CallRecord;
  readonly dialects: HostDialects;
  readonly questions: CallQuestions;
  /** Hears what is told of it before its answer. */
  readonly early: EarlyNotifications;
  readonly clock: Clock;
  /** Whether keepers can write what its answer says. */
  readonly canKeepersWrite: boolean;
  /** It may have been sent before. */
  readonly isRepeat: boolean;
  /** Whether the ledger says what became of it. */
  isWritten(): Promise<boolean>;
  /** It is out, and nobody waits any longer: the answer that still comes, or nothing if none can. */
  onLeft(late: Promise<Interpreted | undefined>): void;
}

// What breaks its server each time is not helped by another.
const MAX_REPEATS = 3;

export async function sendCall(call: SentCall): Promise<Interpreted | 'written'> {
  let { isRepeat } = call;
  let isHeard = false;
  for (let repeats = 0; ; ) {
    const target = isRepeat ? await findPatiently(call) : await findTarget(call);
    const before = isRepeat ? await lookBack(call, target, { repeats, isHeard }) : NOTHING;
    if (before.answer) return before.answer;
    isRepeat &&= !before.isUnsent;
    repeats += Number(before.isBlind ?? false);
    isHeard = false;
    try {
      const reply = await exchange(call, target, before.reply);
      if (!canRepeat(target, call) || !isUndecided(reply, isRepeat)) return interpret(reply, target, call);
      await pauseFor(call, new Error(reply.error.message));
      isRepeat = true;
      isHeard = true;
    } catch (error) {
      isRepeat = await afterFailure(call, error, isRepeat);
    }
  }
}

/** What is known of a call that may have been sent before. */
interface Before {
  /** It is under way: this is its answer. */
  readonly reply?: Promise<Reply>;
  /** There is nothing more to send. */
  readonly answer?: Interpreted | 'written';
  /** It was certainly not sent. */
  readonly isUnsent?: boolean;
  /** It is sent again to a server that does not recognise it. */
  readonly isBlind?: boolean;
}

const NOTHING: Before = {};

interface Tried {
  /** How often it was sent blindly. */
  readonly repeats: number;
  /** What was sent last has been answered: only asking again can bring anything new. */
  readonly isHeard: boolean;
}

async function lookBack(call: SentCall, target: Target, { repeats, isHeard }: Tried): Promise<Before> {
  const { connection, tool } = target;
  const { callId } = call.record;
  call.questions.startOver();
  // A keeper would give the same answer again, for ever.
  if (isHeard && canRepeat(target, call)) return NOTHING;
  const joined = await connection.join(callId, toWaiting(call, target));
  if (joined.word === 'kept') return { reply: joined.reply };
  const isUnsent = joined.word === 'unknown' && (await connection.wasNeverSent(callId, call.mark.keeper));
  // Only now: an earlier keeper may have written it down just before it ended.
  if (await call.isWritten()) return { answer: 'written' };
  // What has just been cancelled is lost at its keeper, and must be neither sent again nor called unknown.
  call.signal.throwIfAborted();
  if (isUnsent) return { isUnsent };
  if (canRepeat(target, call)) return NOTHING;
  const isAllowed = repeats < MAX_REPEATS && !toPrepared(call) && mayRepeat(call, tool);
  return isAllowed ? { isBlind: true } : { answer: toUnanswered(call) };
}

/** What a call is sent to. */
interface Target {
  readonly connection: ServerConnection;
  /** As the server lists it, if it does. Not looked for when the dialect of the call is known before it is sent. */
  readonly tool: HostTool | undefined;
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
  const { server, signal } = call;
  const connection = await server.connection(signal);
  if (toPrepared(call)) return toTarget(call, connection);
  const tools = await unlessAborted(connection.tools(), signal).catch((error: unknown) => {
    if (isPassing(error) || signal.aborted) throw error;
    // Without a list the call itself will tell what is wrong.
    return [];
  });
  return toTarget(call, connection, tools);
}

/** Last, and only for a server that is there: a call that goes through a keeper is what it is started for. */
async function toTarget(
  call: SentCall,
  connection: ServerConnection,
  tools: readonly HostTool[] = [],
): Promise<Target> {
  await unlessAborted(connection.whenKept(), call.signal);
  return { connection, tool: tools.find(({ name }) => name === call.record.tool) };
}

/** Whether a call may be sent again must not depend on a list that just could not be had. */
async function findPatiently(call: SentCall): Promise<Target> {
  const { server, signal, absence } = call;
  for (;;) {
    const connection = await server.patientConnection(signal, (error) => absence.failed(error));
    if (toPrepared(call)) return toTarget(call, connection);
    try {
      const tools = await unlessAborted(connection.tools(), signal);
      return await toTarget(call, connection, tools);
    } catch (error) {
      if (isTaskError(error, 'RESULT_TOO_LARGE') || signal.aborted) throw error;
      await pauseFor(call, error);
    }
  }
}

function toWaiting(call: SentCall, target: Target) {
  const onLeft = (late: Promise<Reply | undefined>) =>
    call.onLeft(late.then((reply) => reply && interpret(reply, target, call)));
  return { signal: call.signal, onId: (id: string) => call.early.sentAs(id), onLeft };
}

/** What the keeper of the server needs to read the answer when this host is gone; not all can be told in JSON. */
function toKept(call: SentCall, target: Target): KeptCall {
  const { record, dialects } = call;
  const { callId } = record;
  if (!call.canKeepersWrite || dialects.hasOwn) return { callId };
  const outgoing = { ...toOutgoing(call, target), spec: withoutReach(call.server.spec) };
  const handle = toPrepared(call);
  const session = toSession(target);
  const context = { outgoing, ...(handle && { handle }), ...(session && { session }) };
  return { callId, context: context as unknown as JsonObject };
}

/** What is said of a server beside how it is reached, which may be secret. */
function withoutReach(spec: ServerSpec): object {
  const { command: _command, args: _args, env: _env, passEnv: _passEnv, ...rest } = spec as StdioSpec;
  const { url: _url, headers: _headers, fetch: _fetch, ...traits } = rest as Partial<HttpSpec>;
  return traits;
}

/**
 * Sends the call, and again with answers for as long as the server asks before it begins. One that is under way already is
 * only waited for.
 */
async function exchange(call: SentCall, target: Target, underWay?: Promise<Reply>): Promise<Reply> {
  const { record, questions } = call;
  const { callId } = record;
  const first = toParams(call, target);
  const headers = () => toParamHeaders(target.tool as JsonObject | undefined, record.args);
  const kept = target.connection.keeper === undefined ? undefined : toKept(call, target);
  const options = { ...toWaiting(call, target), headers, callId, kept };
  let params = first;
  if (!underWay) {
    await call.mark.goes(target.connection.keeper);
    questions.startOver();
  }
  for (let round = 0; ; round++) {
    const isUnderWay = round === 0 && underWay !== undefined;
    const reply = await (isUnderWay ? underWay : target.connection.request('tools/call', params, options));
    if (toPrepared(call) || !asksFirst(reply) || round === MAX_ROUNDS) return reply;
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
  return {
    tool,
    meta,
    listed: listed as JsonObject | undefined,
    server: { era, capabilities, isStdio },
    spec: { ...spec },
  };
}

function canRepeat({ connection, tool: listed }: Target, call: SentCall): boolean {
  return isRecognised({ server: connection, listed, handle: toPrepared(call) });
}

/** What the answer says of the call. */
function interpret(reply: Reply, target: Target, call: SentCall): Interpreted {
  const { dialects, early, clock } = call;
  const handle = toPrepared(call);
  const outgoing = toOutgoing(call, target);
  const answered = { ...outgoing, handle, rpcId: early.rpcId, now: clock.now(), early, session: toSession(target) };
  return readAnswer(reply, answered, dialects);
}

/** Where a task may be known to its session only. A server of ours knows it in any session. */
function toSession({ connection }: Target): HttpSession | undefined {
  return isHoldfast(connection) ? undefined : connection.session;
}

/** For a call that may have arrived and cannot be sent again: a handle that is known can still be followed. */
function toUnanswered(call: SentCall): Interpreted {
  const handle = toPrepared(call);
  if (handle) return { kind: 'handle', handle };
  const reason = 'outcome unknown: the line was lost before the server answered, and it cannot be asked again';
  return { kind: 'outcome', outcome: { kind: 'interrupted', reason } };
}
