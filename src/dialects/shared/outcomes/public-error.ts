import type { TaskError, TaskErrorCode } from '../../../errors.ts';
import type { Caller, ServerPort } from '../../server-port.ts';

const STORE = 'The store of the server cannot be used; its owner finds the reason in its log';
const SPAWN = 'The server could not start a program; its owner finds the reason in its log';

/** Failures whose own words name files and programs of this machine, which are nobody's business elsewhere. */
const PUBLIC: Readonly<Partial<Record<TaskErrorCode, string>>> = {
  STORE_CORRUPT: STORE,
  STORE_FOREIGN: STORE,
  STORE_SCHEMA_NEWER: STORE,
  STORE_SCHEMA_OLDER: STORE,
  STORE_READ_ONLY: STORE,
  STORE_NO_ACCESS: STORE,
  STORE_NOT_FOUND: STORE,
  STORE_GONE: STORE,
  STORE_MOVED: STORE,
  STORE_LOCKED: 'The store of the server is in use by others; try again',
  STORE_FULL: 'The store of the server has no room; its owner finds the reason in its log',
  STORE_CLOSED: 'The store of the server has been closed; try again',
  STORE_KEY_MISSING: STORE,
  STORE_KEY_WRONG: STORE,
  STORE_FAILED: STORE,
  SPAWN_FAILED: SPAWN,
  COMMAND_NOT_FOUND: SPAWN,
};

/** What a client on another machine is told of a failure. */
export function toPublicMessage({ code, message }: Pick<TaskError, 'code' | 'message'>): string {
  return PUBLIC[code] ?? message;
}

/** A client that did not start this process learns nothing of its files, and the log all. */
export function toToldMessage(
  port: Pick<ServerPort, 'report'>,
  { isLocal }: Pick<Caller, 'isLocal'>,
  error: TaskError,
): string {
  const message = isLocal ? error.message : toPublicMessage(error);
  if (message !== error.message) port.report(error);
  return message;
}
