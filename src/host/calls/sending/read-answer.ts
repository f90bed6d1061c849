/**
 * What the answer to a call says: how it ended, or how it is to be followed.
 *
 * Hosts read it here, and so does the keeper of a server when the host is gone: both write down the same.
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

/** A call that has been answered; `handle` is there when its dialect knew it before. */
export interface AnsweredCall extends Omit<DialectAnswer, 'result' | 'early'> {
  readonly early: EarlyNotifications;
  /** The session that the call was made in, where its server may know it in that one only. */
  readonly session?: HttpSession | undefined;
}

// A server that asks without end has gone wrong.
export const MAX_ROUNDS = 50;

/** Whether the server wants answers before it begins. */
export function asksFirst(reply: Reply): reply is Reply & { kind: 'result' } {
  return reply.kind === 'result' && reply.result.resultType === 'input_required';
}

/** A call and its server, as far as it matters here. */
export interface Recognisable {
  readonly server: { readonly capabilities: JsonObject };
  readonly listed: { readonly [field: string]: unknown } | undefined;
  /** The handle of a call that its dialect has prepared. */
  readonly handle: CallHandle | undefined;
}

/** Only work that is a task is recognised by its key, or by the id that its dialect has prepared. */
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

/** Asks the dialects whose answer it is; nothing when it is the result itself. */
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

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#result-type: what is not known is an error. */
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
