import { TaskError, type TaskErrorCode } from '../errors.ts';
import { probeDisk } from './probe-disk.ts';

interface Remedy {
  readonly code: TaskErrorCode;
  readonly advice: string;
}

const NO_ACCESS: Remedy = {
  code: 'STORE_NO_ACCESS',
  advice: 'check that it is a file, who owns it and its directory, and their modes',
};
const READ_ONLY: Remedy = { code: 'STORE_READ_ONLY', advice: 'make the file and its directory writable' };
const FULL: Remedy = { code: 'STORE_FULL', advice: 'free space, or prune finished tasks, then try again' };
const LOCKED: Remedy = { code: 'STORE_LOCKED', advice: 'another process is using it; try again' };
const NO_DATABASE: Remedy = {
  code: 'STORE_CORRUPT',
  advice: 'move it away and start with a new one, or restore a copy',
};
// SQLite reports the same error for a page that could not be read for a moment.
const CORRUPT: Remedy = {
  code: 'STORE_CORRUPT',
  advice: 'try again, for the disk may have failed only for a moment; if it stays, keep the file and restore a copy',
};
const IO_ERROR: Remedy = {
  code: 'STORE_FAILED',
  advice: 'the disk or the file system reported an error; check it',
};
const FAILED: Remedy = { code: 'STORE_FAILED', advice: 'see the cause' };

// https://sqlite.org/rescode.html; extended codes carry the primary one in their low byte.
const BY_RESULT_CODE: Readonly<Record<number, Remedy>> = {
  3: NO_ACCESS,
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  10: IO_ERROR,
  11: CORRUPT,
  13: FULL,
  14: NO_ACCESS,
  23: NO_ACCESS,
  26: NO_DATABASE,
};

// The package for Node 20 omits the result code from errors of `prepare` and `all`; these texts are SQLite's own.
const BY_MESSAGE: readonly (readonly [string, Remedy])[] = [
  ['is locked', LOCKED],
  ['readonly database', READ_ONLY],
  ['is malformed', CORRUPT],
  ['is not a database', NO_DATABASE],
  ['malformed database schema', CORRUPT],
  ['disk is full', FULL],
  ['disk I/O error', IO_ERROR],
  ['unable to open database', NO_ACCESS],
  ['permission denied', NO_ACCESS],
];

const BY_SYSTEM_CODE: Readonly<Record<string, Remedy>> = {
  EACCES: NO_ACCESS,
  EPERM: NO_ACCESS,
  ENOTDIR: { code: 'STORE_NO_ACCESS', advice: 'a part of the path is a file, not a directory' },
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOENT: { code: 'STORE_NOT_FOUND', advice: 'check the path' },
};

// What a probe can say about the disk; any other error of the probe may have an unrelated cause.
const BY_PROBE: Readonly<Record<string, Remedy>> = { EROFS: READ_ONLY, ENOSPC: FULL, EDQUOT: FULL };

/**
 * Converts an error of SQLite or the file system about the database at `path` to a `TaskError`; a bug is returned unchanged.
 */
export function toStoreError(error: unknown, path: string): unknown {
  if (error instanceof TaskError || !(error instanceof Error)) return error;
  const found = toRemedy(error);
  if (found === undefined) return error;
  const remedy = found === IO_ERROR ? (BY_PROBE[probeDisk(path) ?? ''] ?? found) : found;
  return new TaskError(remedy.code, `${path}: ${error.message}; ${remedy.advice}`, { cause: error });
}

function toRemedy(error: Error & { errcode?: unknown; code?: unknown }): Remedy | undefined {
  if (typeof error.errcode === 'number') return BY_RESULT_CODE[error.errcode & 0xff] ?? FAILED;
  if (error.code === 'ERR_SQLITE_ERROR') return toRemedyOfMessage(error.message);
  if (typeof error.code !== 'string') return undefined;
  // File system errors have a `syscall`; other Node errors with a code are bugs of ours.
  return BY_SYSTEM_CODE[error.code] ?? ('syscall' in error ? FAILED : undefined);
}

function toRemedyOfMessage(message: string): Remedy {
  return BY_MESSAGE.find(([text]) => message.includes(text))?.[1] ?? FAILED;
}
