import type { TaskError, TaskErrorCode } from '../../../errors.ts';
import type { Caller, ServerPort } from '../../server-port.ts';

const STORE = 'The store of the server cannot be used; its owner finds the reason in its log';
const SPAWN = 'The server could not start a program; its owner finds the reason in its log';

/** Failures whose messages name files and programs of this machine, which clients elsewhere must not see. */
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

/** Returns the message of a failure for a client on another machine. */
export function toPublicMessage({ code, message }: Pick<TaskError, 'code' | 'message'>): string {
  return PUBLIC[code] ?? message;
}

/** Returns the message for a client: one that did not start this process learns nothing of its files; the log gets all. */
export function toClientMessage(
  port: Pick<ServerPort, 'report'>,
  { isLocal }: Pick<Caller, 'isLocal'>,
  error: TaskError,
): string {
  const message = isLocal ? error.message : toPublicMessage(error);
  if (message !== error.message) port.report(error);
  return message;
}
