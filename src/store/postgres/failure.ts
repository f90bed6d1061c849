/** The errors of PostgreSQL and its connections, and the error codes they get here. */
import { TaskError, type TaskErrorCode } from '../../errors.ts';

interface PgError {
  readonly code?: unknown;
  readonly message?: unknown;
}

const LOST_STATEMENT =
  'prepared statements do not stay with a connection, as behind a pooler in transaction mode; open it with prepare: false';

const NAMED: Readonly<Record<string, readonly [TaskErrorCode, string]>> = {
  '28P01': ['STORE_NO_ACCESS', 'the user or the password is wrong'],
  '28000': ['STORE_NO_ACCESS', 'this user may not connect from here, or not in this way (pg_hba.conf, TLS)'],
  '42501': [
    'STORE_NO_ACCESS',
    'the user lacks rights: it needs CREATE on the database or a schema of its own, or rights on that of the store',
  ],
  '3D000': ['STORE_NOT_FOUND', 'there is no such database; create it first'],
  '3F000': ['STORE_NOT_FOUND', 'there is no such schema'],
  '42P01': ['STORE_NOT_FOUND', 'the tables of the store are missing; open it once with migrate'],
  '25006': ['STORE_READ_ONLY', 'the database takes no writes: it is a standby, or set to read-only'],
  '53100': ['STORE_FULL', 'the disk of the database is full'],
  '57014': ['STORE_LOCKED', 'a statement took too long and was stopped; try again'],
  '55P03': ['STORE_LOCKED', 'a lock could not be had in time; try again'],
  '26000': ['STORE_FAILED', LOST_STATEMENT],
  '42P05': ['STORE_FAILED', LOST_STATEMENT],
  XX001: ['STORE_CORRUPT', 'the database reports damaged data'],
};

/** Errors of the network and of servers that start, stop or refuse more connections: these are retried. */
const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '53300', '08000', '08003', '08006', '08001', '08004', '08P01', '25P03', '57P05'],
]);

const LOST = /terminat|timeout|connection|not queryable|client was closed/i;

/** Whether the connection was lost or could not be made: the statement may or may not have been executed. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = toPgError(error);
  if (isStandby(error)) return true;
  if (typeof code === 'string') return UNREACHABLE.has(code) || isSystemCode(code);
  // The driver's own errors have no code.
  return error instanceof AggregateError || (typeof message === 'string' && LOST.test(message));
}

/** Whether the server is a standby, perhaps one that is about to take over. */
function isStandby(error: unknown): boolean {
  const { code, message } = toPgError(error);
  return code === '55000' && typeof message === 'string' && message.includes('recovery');
}

function isSystemCode(code: string): boolean {
  return /^E[A-Z]+$/.test(code);
}

/** Whether PostgreSQL rolled the transaction back only because of concurrent transactions, so that it can be retried. */
export function isConflict(error: unknown): boolean {
  const { code } = toPgError(error);
  // Unique violation: another transaction has just inserted the key, and the retry will find it.
  return code === '40001' || code === '40P01' || code === '23505';
}

/** Converts a failure to a `TaskError`. `place` is the address of the database, without a password. */
export function toStoreError(error: unknown, place: string): TaskError {
  if (error instanceof TaskError) return error;
  const { code, message } = toPgError(error);
  const named = NAMED[isStandby(error) ? '25006' : String(code)];
  if (named) return new TaskError(named[0], `${place}: ${named[1]}`, { cause: error });
  const said = typeof message === 'string' ? message : '';
  if (/SSL|TLS|certificate/i.test(said)) {
    const remedy = 'set sslmode in the URL to what the server wants (disable, require, verify-full)';
    return new TaskError('STORE_NO_ACCESS', `${place}: no agreement on TLS (${said}); ${remedy}`, { cause: error });
  }
  if (isUnreachable(error)) {
    const why = typeof code === 'string' ? code : said;
    const text = `${place} cannot be reached (${why}); see whether it runs, and whether the address is right`;
    return new TaskError('CONNECT_FAILED', text, { cause: error });
  }
  return new TaskError('STORE_FAILED', `${place} failed: ${said}`, { cause: error });
}

function toPgError(error: unknown): PgError {
  if (error instanceof AggregateError) {
    const [first] = error.errors as unknown[];
    return typeof first === 'object' && first !== null ? (first as PgError) : {};
  }
  return typeof error === 'object' && error !== null ? (error as PgError) : {};
}
