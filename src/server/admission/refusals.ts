import { toPublicMessage } from '../../dialects/shared/outcomes/public-error.ts';
import { isTaskError, toRpcCode, toTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

export interface HttpFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** The id of the request it answers, if known. */
  readonly id?: string | number | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns an HTTP error whose body is a JSON-RPC error. */
export function refuse(status: number, { code, message, data, id, headers }: HttpFailure): Response {
  const error = { code, message, ...(data !== undefined && { data }) };
  return Response.json({ jsonrpc: '2.0', error, id: id ?? null }, { status, ...(headers && { headers }) });
}

export function refuseFailed(error: unknown): Response {
  const failure = toTaskError(error);
  const { traits } = failure;
  return refuse(traits.http, {
    code: traits.rpc,
    message: toPublicMessage(failure),
    ...(isTaskError(error) && { data: { code: failure.code } }),
  });
}

/** What is exhausted, and when to retry. */
export interface Shortage {
  /** Its name in the message: "open requests". */
  readonly of: string;
  readonly max: number;
  readonly retryAfterMs: number;
  readonly id?: string | number | null | undefined;
}

/** Refuses a sender that has used up its own share: 429. */
export function refuseOverQuota({ of, max, retryAfterMs, id }: Shortage): Response {
  const message = `Too many ${of}: one principal may have ${max}; try again in ${retryAfterMs} ms`;
  const data = { code: 'QUOTA_EXCEEDED', limit: max, retryAfterMs };
  return refuse(429, { code: toRpcCode('QUOTA_EXCEEDED'), message, data, id, headers: toRetryAfter(retryAfterMs) });
}

/** Refuses because the whole server is at its limit, whoever the sender is: 503. */
export function refuseBusy({ of, max, retryAfterMs, id }: Shortage): Response {
  const message = `Too many ${of}: the server takes ${max} in all; try again in ${retryAfterMs} ms`;
  return refuse(503, {
    code: RPC_CODES.SERVER_ERROR,
    message,
    data: { retryAfterMs },
    id,
    headers: toRetryAfter(retryAfterMs),
  });
}

/** Refuses because the server is closing; a replacement may be up soon: 503. */
export function refuseStopped(retryAfterMs: number): Response {
  const message = `The server is stopping; try again in ${retryAfterMs} ms`;
  // A retry on the same connection would reach the same server.
  const headers = { ...toRetryAfter(retryAfterMs), Connection: 'close' };
  return refuse(503, { code: RPC_CODES.SERVER_ERROR, message, data: { retryAfterMs }, headers });
}

function toRetryAfter(retryAfterMs: number) {
  return { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) };
}
