import type { Reply } from '../../dialects/host-port.ts';
import { HOST_MAX_REFUSAL_CHARS } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { cutText } from '../../text/cut-text.ts';
import type { RequestFailure } from './keeping-transport.ts';

/** An HTTP status instead of an answer. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Of the request that its body answers, if it answers one. */
  readonly id: unknown;
  /** The error of JSON-RPC in its body. */
  readonly reply: Reply | undefined;
}

/** Reads what the transport throws when the server answers with a status that is no success. */
export function readRefusal(error: unknown): Refusal | undefined {
  const { data } = (error ?? {}) as { data?: { status?: unknown; text?: unknown } };
  if (typeof data?.status !== 'number') return undefined;
  const text = typeof data.text === 'string' ? data.text : '';
  const message = parseObject(text);
  return { status: data.status, text, id: message?.id, reply: readReply(message) };
}

const UNCONNECTED: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'];

/** Whether there was no connection, so that nothing can have arrived. */
export function isUnreachable(error: unknown): boolean {
  const { code, syscall, cause } = (error ?? {}) as { code?: unknown; syscall?: unknown; cause?: unknown };
  if (syscall === 'connect' || syscall === 'getaddrinfo' || UNCONNECTED.includes(code)) return true;
  return cause !== undefined && cause !== error && isUnreachable(cause);
}

/**
 * Whether nothing was done because the server, or a proxy in front of it, could not take the request then. Not when a
 * proxy had passed it on and lost the connection behind it.
 */
export function isNotTaken({ status, text, reply }: Refusal): boolean {
  return status === 503 && reply === undefined && !/reset before headers|disconnect/i.test(text);
}

function toRefusedReply({ status, text }: Refusal): Reply {
  const reason = cutText(text, HOST_MAX_REFUSAL_CHARS);
  return {
    kind: 'error',
    error: { code: RPC_CODES.SERVER_ERROR, message: `the server answered with HTTP status ${status}: ${reason}` },
  };
}

/** Said by servers, without a word on the request, when the connection broke while it was worked at. */
const CLIENT_CLOSED_REQUEST = 499;

/** What a refusal says to the request itself, if it does. */
export function toAnswer(refusal: Refusal): Reply | undefined {
  const isOfRequest = refusal.status < CLIENT_CLOSED_REQUEST;
  return refusal.reply ?? (isOfRequest ? toRefusedReply(refusal) : undefined);
}

/** An answer that says that there is no better one. */
interface FailedAnswer {
  readonly error: { readonly code: number | string; readonly message: string };
}

/**
 * What a failure says of a call whose host is gone: the answer of the server; that nothing was done; or that nobody knows.
 *
 * A host would ask by a `ping` whether a status 400 is meant for the session. Nobody does here, so it says nothing.
 */
export function judgeFailure(failure: RequestFailure, id: string | number): FailedAnswer | 'unsent' | 'lost' {
  const { status, text } = failure;
  if (failure.isUnreachable) return 'unsent';
  if (failure.tooLarge) return { error: { code: 'RESULT_TOO_LARGE', message: failure.message } };
  const refusal = readRefusal({ data: { status, text } });
  if (!refusal) return 'lost';
  const isOfRequest = String(refusal.id) === String(id);
  if (isNotTaken(refusal) || (refusal.status === 404 && !isOfRequest)) return 'unsent';
  const answer = refusal.status === 400 && !isOfRequest ? undefined : toAnswer(refusal);
  return answer?.kind === 'error' ? { error: answer.error } : 'lost';
}

interface Answer {
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly id?: unknown;
}

function parseObject(text: string): Answer | undefined {
  try {
    return (JSON.parse(text) ?? undefined) as Answer | undefined;
  } catch {
    return undefined;
  }
}

function readReply(message: Answer | undefined): Reply | undefined {
  const isAnswer = typeof message?.error?.code === 'number' && typeof message.error.message === 'string';
  // Without an id it speaks of the connection, not of the request.
  if (!isAnswer || message.id === null || message.id === undefined) return undefined;
  return { kind: 'error', error: message.error as (Reply & { kind: 'error' })['error'] };
}
