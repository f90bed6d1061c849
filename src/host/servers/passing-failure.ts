/**
 * Which failures to reach a server are worth waiting for: those of a server that is being started again, of a network that is
 * away, of a machine that is short of something. A wrong command, address, token or version is not: nothing changes by itself.
 */
import { isTaskError, TaskError } from '../../errors.ts';

/** Codes of the system, of `fetch`, and of the SDK (in capitals with underscores). */
const CODES: readonly unknown[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  // A name that is not known: this server has been reached by it, and containers lose theirs while they are replaced.
  ...['ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
  // A program that cannot be started now: too many processes or files, or its file is just being written.
  ...['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY'],
  // It ended before it had shaken hands, or did not in time.
  ...['CONNECTION_CLOSED', 'REQUEST_TIMEOUT', 'NOT_CONNECTED'],
];

/** Answers of a server that starts or is overloaded, and of a proxy in front of one that is away. */
const STATUSES: readonly unknown[] = [408, 425, 429, 500, 502, 503, 504];

/** A failure of ours to reach a server, which another try may mend. */
export function passingError(message: string, cause?: unknown): TaskError {
  return new TaskError('CONNECT_FAILED', message, { cause, data: { isPassing: true } });
}

/** Whether to try again after a request that did not arrive. */
export function isPassing(error: unknown): boolean {
  if (isTaskError(error, 'LINE_LOST')) return true;
  if (!isTaskError(error, 'CONNECT_FAILED')) return false;
  return error.data?.isPassing === true || isPassingCause(error.cause);
}

function isPassingCause(cause: unknown): boolean {
  if (cause === null || typeof cause !== 'object') return false;
  const { code, data, cause: deeper } = cause as { code?: unknown; data?: { status?: unknown }; cause?: unknown };
  // What has a status was answered, whatever its code says.
  if (data?.status !== undefined) return STATUSES.includes(data.status);
  return CODES.includes(code) || (deeper !== cause && isPassingCause(deeper));
}
