/**
 * Reads the response to a call: how the call ended, or how to follow it.
 *
 * Hosts use this, and so does the keeper of a server when the host is gone: both write the same to the ledger.
 */
import type { DialectAnswer } from '../../../dialects/host-dialect.ts';
import type { CallHandle, CallOutcome, JsonObject, Reply } from '../../../dialects/host-port.ts';
import { isHoldfast } from '../../../dialects/shared/holdfast-server.ts';
import { RPC_CODES } from '../../../rpc-codes.ts';
import type { Json } from '../../../task/json.ts';
import type { HostDialects } from '../../host-dialects.ts';
import type { HttpSession } from '../../transports/http-session.ts';
import type { EarlyNotifications } from './early-notifications.ts';

export type Interpreted =
  | { readonly kind: 'handle'; readonly handle: CallHandle }
  | { readonly kind: 'outcome'; readonly outcome: CallOutcome };

/** A call that has been answered; `handle` is set when its dialect knew it before the call was sent. */
export interface AnsweredCall extends Omit<DialectAnswer, 'result' | 'early'> {
  readonly early: EarlyNotifications;
  /** The session of the call, when its server may know the work only in that session. */
  readonly session?: HttpSession | undefined;
}

// A server that asks more rounds of questions than this is considered broken.
export const MAX_ROUNDS = 50;

/** Whether the server wants answers before it starts the work. */
export function asksFirst(reply: Reply): reply is Reply & { kind: 'result' } {
  return reply.kind === 'result' && reply.result.resultType === 'input_required';
}

/** The facts about a call and its server that decide whether the server recognises a repeated call. */
export interface Recognisable {
  readonly server: { readonly capabilities: JsonObject };
  readonly listed: { readonly [field: string]: unknown } | undefined;
  /** The handle of a call that its dialect has prepared. */
  readonly handle: CallHandle | undefined;
}

/**
 * Whether the server recognises a repeated call by its key, or by the id that its dialect prepared. Only a Holdfast server does,
 * and only for work that is a task.
 */
export function isRecognised({ server, listed, handle }: Recognisable): boolean {
  return isHoldfast(server) && (listed?.async === true || handle !== undefined);
}

export function readAnswer(reply: Reply, call: AnsweredCall, dialects: HostDialects): Interpreted {
  if (reply.kind === 'error') return toOutcome({ kind: 'error', error: reply.error });
  const { result } = reply;
  const handle = readHandle(result, call, dialects);
  if (handle) return { kind: 'handle', handle };
  const { resultType = 'complete', ...plain } = result;
  if (resultType !== 'complete') return toOutcome(toUnsupported(resultType));
  return toOutcome({ kind: 'result', result: plain as JsonObject, isError: result.isError === true });
}

/** Returns the handle of the first dialect that recognises the response; `undefined` when the response is the result itself. */
function readHandle(result: JsonObject, call: AnsweredCall, dialects: HostDialects): CallHandle | undefined {
  const { early, session, ...answer } = call;
  const { handle: prepared } = call;
  for (const dialect of prepared ? [dialects.find(prepared)] : dialects.list) {
    const handle = dialect.read({ ...answer, result, early: early.of(dialect.name) });
    if (!handle) continue;
    if (prepared) return { ...handle, isAcked: true };
    return session ? { ...handle, session } : handle;
  }
  return undefined;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#result-type: an unknown result type is an error. */
function toUnsupported(resultType: Json): CallOutcome {
  const message =
    resultType === 'input_required'
      ? `the server asked ${MAX_ROUNDS} times before it began`
      : `the server answered with the result type ${JSON.stringify(resultType)}, which is not known`;
  return { kind: 'error', error: { code: RPC_CODES.INTERNAL_ERROR, message } };
}

function toOutcome(outcome: CallOutcome): Interpreted {
  return { kind: 'outcome', outcome };
}
