/**
 * Writes the response to a call whose host is gone to the ledger, exactly as the host would have done.
 *
 * Loaded when there is such a response: a keeper mostly passes messages on, and needs neither ledger nor dialects for that.
 */
import { systemClock } from '../../clock.ts';
import type { OutgoingCall } from '../../dialects/host-dialect.ts';
import type { CallHandle, JsonObject, Reply } from '../../dialects/host-port.ts';
import { isHoldfast } from '../../dialects/shared/holdfast-server.ts';
import { EarlyNotifications } from '../calls/sending/early-notifications.ts';
import { asksFirst, isRecognised, readAnswer } from '../calls/sending/read-answer.ts';
import { isUnacked, toUsableHandle } from '../calls/sending/send-mark.ts';
import { isUndecided } from '../calls/sending/undecided.ts';
import { loadHostDialects } from '../host-dialects.ts';
import { withLedgerCodec } from '../ledger/coded-ledger.ts';
import { openSqliteLedger } from '../ledger/sqlite-ledger.ts';
import type { HttpSession } from '../transports/http-session.ts';
import type { KeptCall } from '../transports/keeping-transport.ts';
import type { Answer, WriteResult } from './relay/answer-writes.ts';
import { parseMessage } from './relay/message.ts';

/** What a host sends along with a call so that its response can be read without the host. */
export interface AnswerContext {
  readonly outgoing: OutgoingCall;
  /** The handle of a call whose dialect knew it before it was sent. */
  readonly handle?: CallHandle;
  /** The session of the call, when its server may know the work only in that session. */
  readonly session?: HttpSession;
}

interface ReceivedAnswer {
  readonly callId: string;
  readonly answer: Answer;
  readonly reply: Reply;
}

/** Opens the ledger for writing any number of responses. */
export async function openAnswerWriter(path: string) {
  const file = openSqliteLedger({ path, create: false });
  const ledger = withLedgerCodec(file);
  const dialects = await loadHostDialects([]);
  const clock = systemClock;

  const read = ({ outgoing, handle, session }: AnswerContext, { answer, reply, callId }: ReceivedAnswer) => {
    const early = new EarlyNotifications(callId, dialects, { clock, update: () => {} });
    const rpcId = String(answer.id);
    early.sentAs(rpcId);
    for (const line of answer.notifications) hear(early, line);
    const said = readAnswer(reply, { ...outgoing, handle, session, rpcId, now: clock.now(), early }, dialects);
    early.close();
    return said;
  };

  /** What the host itself has written takes precedence over the response. */
  const isKnown = async (callId: string) => {
    const { handle, outcome } = (await ledger.get(callId)) ?? {};
    return { hasEnded: outcome !== undefined, hasHandle: toUsableHandle(handle) !== undefined && !isUnacked(handle) };
  };

  async function write({ callId, context }: KeptCall, answer: Answer): Promise<WriteResult> {
    const reply = toReply(answer.line);
    // Only a host can answer the questions that the server asks first.
    if (!context || !reply || asksFirst(reply)) return 'left';
    const call = context as unknown as AnswerContext;
    const { hasEnded, hasHandle } = await isKnown(callId);
    if (hasEnded) return 'outcome';
    if (hasHandle) return toHeld(call);
    // The next host asks again, as this one would have.
    if (isUndecided(reply, true) && isRecognised({ ...call.outgoing, handle: call.handle })) return 'undecided';
    const said = read(call, { callId, answer, reply });
    if (said.kind === 'outcome') await ledger.settle(callId, said.outcome);
    return said.kind === 'handle' && (await ledger.setHandle(callId, said.handle)) ? toHeld(call) : 'outcome';
  }

  /** Works with any codec of the ledger: only the presence of an outcome is read. */
  const hasEnded = async (callId: string) => {
    const record = await file.get(callId);
    return record === undefined || record.outcome !== undefined;
  };

  return { write, hasEnded, close: () => ledger.close() };
}

/**
 * On stdio, and when the server is not Holdfast's, only the server process itself reports the work; any host can find other work.
 */
function toHeld({ outgoing: { server } }: AnswerContext): WriteResult {
  return isHoldfast(server) || !server.isStdio ? 'outcome' : 'handle';
}

function hear(early: EarlyNotifications, line: string): void {
  const { method = '', params = {} } = parseMessage(line) ?? {};
  early.hear({ method, params: params as JsonObject });
}

function toReply(line: string): Reply | undefined {
  const message = parseMessage(line);
  if (!message) return undefined;
  if ('error' in message) return { kind: 'error', error: message.error as (Reply & { kind: 'error' })['error'] };
  return { kind: 'result', result: (message.result ?? {}) as JsonObject };
}
