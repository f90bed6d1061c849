import type { Reply } from '../../dialects/host-port.ts';
import { HOST_MAX_REFUSAL_CHARS } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { cutText } from '../../text/cut-text.ts';
import type { RequestFailure } from './keeping-transport.ts';

/** A response with an HTTP error status. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** The id of the request that its body answers, if any. */
  readonly id: unknown;
  /** The JSON-RPC error in its body. */
  readonly reply: Reply | undefined;
}

/** Reads the error that the transport throws for a response with an error status. */
export function readRefusal(error: unknown): Refusal | undefined {
  const { data } = (error ?? {}) as { data?: { status?: unknown; text?: unknown } };
  if (typeof data?.status !== 'number') return undefined;
  const text = typeof data.text === 'string' ? data.text : '';
  const message = parseObject(text);
  return { status: data.status, text, id: message?.id, reply: readReply(message) };
}

const UNCONNECTED: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'];

/** Whether no connection was made, so that the request certainly did not arrive. */
export function isUnreachable(error: unknown): boolean {
  const { code, syscall, cause } = (error ?? {}) as { code?: unknown; syscall?: unknown; cause?: unknown };
  if (syscall === 'connect' || syscall === 'getaddrinfo' || UNCONNECTED.includes(code)) return true;
  return cause !== undefined && cause !== error && isUnreachable(cause);
}

/**
 * Whether nothing was done because the server, or a proxy in front of it, could not accept the request at that moment. Not when a
 * proxy had forwarded the request and lost the connection to the server.
 */
export function isNotAccepted({ status, text, reply }: Refusal): boolean {
  return status === 503 && reply === undefined && !/reset before headers|disconnect/i.test(text);
}

function toRefusedReply({ status, text }: Refusal): Reply {
  const reason = cutText(text, HOST_MAX_REFUSAL_CHARS);
  return {
    kind: 'error',
    error: { code: RPC_CODES.SERVER_ERROR, message: `the server answered with HTTP status ${status}: ${reason}` },
  };
}

/** Used by some servers, without an error for the request, when the connection broke while they worked on it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Converts a refusal into the response of the request, if it is one. */
export function toAnswer(refusal: Refusal): Reply | undefined {
  const isOfRequest = refusal.status < CLIENT_CLOSED_REQUEST;
  return refusal.reply ?? (isOfRequest ? toRefusedReply(refusal) : undefined);
}

/** An error response that is recorded when there is no better one. */
interface FailedAnswer {
  readonly error: { readonly code: number | string; readonly message: string };
}

/**
 * Decides what a failure means for a call whose host is gone: an error response of the server, that nothing was done, or that the
 * outcome is unknown.
 *
 * A host would send a `ping` to find out whether a status 400 is about the session. That is not done here, so a status 400 leaves
 * the outcome unknown.
 */
export function classifyFailure(failure: RequestFailure, id: string | number): FailedAnswer | 'unsent' | 'lost' {
  const { status, text } = failure;
  if (failure.isUnreachable) return 'unsent';
  if (failure.tooLarge) return { error: { code: 'RESULT_TOO_LARGE', message: failure.message } };
  const refusal = readRefusal({ data: { status, text } });
  if (!refusal) return 'lost';
  const isOfRequest = String(refusal.id) === String(id);
  if (isNotAccepted(refusal) || (refusal.status === 404 && !isOfRequest)) return 'unsent';
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
  // Without an id, the error is about the connection, not about the request.
  if (!isAnswer || message.id === null || message.id === undefined) return undefined;
  return { kind: 'error', error: message.error as (Reply & { kind: 'error' })['error'] };
}
