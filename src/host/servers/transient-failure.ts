/**
 * Which connection failures are worth a retry: a server that restarts, a network that is down, a machine short of a resource. A
 * wrong command, address, token or version is not: it does not go away by itself.
 */
import { isTaskError, TaskError } from '../../errors.ts';

/** Error codes of the system, of `fetch`, and of the SDK (in capitals with underscores). */
const CODES: readonly unknown[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  // Unknown host name: this server has been reached by it, and containers lose their name while they are replaced.
  ...['ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
  // A program that cannot be started now: too many processes or files, or its file is just being written.
  ...['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY'],
  // The server ended before the handshake was complete, or the handshake timed out.
  ...['CONNECTION_CLOSED', 'REQUEST_TIMEOUT', 'NOT_CONNECTED'],
];

/** HTTP statuses of a server that starts or is overloaded, and of a proxy whose upstream is down. */
const STATUSES: readonly unknown[] = [408, 425, 429, 500, 502, 503, 504];

/** Makes an error of ours about an unreachable server that a retry may solve. */
export function transientError(message: string, cause?: unknown): TaskError {
  return new TaskError('CONNECT_FAILED', message, { cause, data: { isPassing: true } });
}

/** Whether to retry a request that did not arrive. */
export function isTransient(error: unknown): boolean {
  if (isTaskError(error, 'LINE_LOST')) return true;
  if (!isTaskError(error, 'CONNECT_FAILED')) return false;
  return error.data?.isPassing === true || isTransientCause(error.cause);
}

function isTransientCause(cause: unknown): boolean {
  if (cause === null || typeof cause !== 'object') return false;
  const { code, data, cause: deeper } = cause as { code?: unknown; data?: { status?: unknown }; cause?: unknown };
  // An error with an HTTP status is a response: the status decides, whatever the code says.
  if (data?.status !== undefined) return STATUSES.includes(data.status);
  return CODES.includes(code) || (deeper !== cause && isTransientCause(deeper));
}
