/**
 * Every failure Holdfast can name, in one table.
 *
 * A tool that fails is data (see `task/outcome.ts`). A failure we can name is a `TaskError` with a code from this
 * table. Anything else is a bug and reaches a peer only through `toTaskError`, which hides its text.
 */
import './require-node.ts';
import { RPC_CODES } from './rpc-codes.ts';

/** How an error with a code is reported to peers and terminals, and whether to retry. */
export interface ErrorTraits {
  /** JSON-RPC error number sent to MCP peers. */
  readonly rpc: number;
  /** HTTP response status. */
  readonly http: number;
  /** Exit code of the command line. */
  readonly exit: number;
  /** Whether the same request can succeed later without being changed. */
  readonly retryable: boolean;
}

const CODES = {
  TASK_NOT_FOUND: { rpc: RPC_CODES.INVALID_PARAMS, http: 404, exit: 4, retryable: false },
  ARTIFACT_NOT_FOUND: { rpc: RPC_CODES.INVALID_PARAMS, http: 404, exit: 4, retryable: false },
  TOOL_NOT_FOUND: { rpc: RPC_CODES.INVALID_PARAMS, http: 404, exit: 4, retryable: false },
  INVALID_ARGUMENT: { rpc: RPC_CODES.INVALID_PARAMS, http: 400, exit: 2, retryable: false },
  INVALID_TTL: { rpc: RPC_CODES.INVALID_PARAMS, http: 400, exit: 2, retryable: false },
  IDEMPOTENCY_CONFLICT: { rpc: RPC_CODES.INVALID_PARAMS, http: 409, exit: 5, retryable: false },
  ALIAS_CONFLICT: { rpc: RPC_CODES.INVALID_PARAMS, http: 409, exit: 5, retryable: false },
  QUEUE_FULL: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 6, retryable: true },
  QUOTA_EXCEEDED: { rpc: RPC_CODES.QUOTA_EXCEEDED, http: 429, exit: 6, retryable: true },

  QUESTION_NOT_OPEN: { rpc: RPC_CODES.INVALID_PARAMS, http: 409, exit: 5, retryable: false },
  ANSWER_INVALID: { rpc: RPC_CODES.INVALID_PARAMS, http: 400, exit: 2, retryable: false },
  QUESTION_DECLINED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 409, exit: 5, retryable: false },
  REPLAY_MISMATCH: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 70, retryable: false },

  TOOL_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },
  RESULT_NOT_SERIALIZABLE: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },
  RESULT_TOO_LARGE: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },
  NOT_STARTED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 6, retryable: true },
  TIMED_OUT: { rpc: RPC_CODES.INTERNAL_ERROR, http: 504, exit: 1, retryable: false },
  CRASHED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },
  STALLED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 504, exit: 1, retryable: true },
  CANCELLED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 409, exit: 1, retryable: false },
  PARKED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 409, exit: 5, retryable: true },
  LEASE_LOST: { rpc: RPC_CODES.INTERNAL_ERROR, http: 409, exit: 5, retryable: true },
  SPAWN_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },
  COMMAND_NOT_FOUND: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 69, retryable: false },
  LISTEN_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 69, retryable: true },
  INTERRUPTED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 1, retryable: false },

  STORE_CORRUPT: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 65, retryable: false },
  STORE_FOREIGN: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 65, retryable: false },
  STORE_SCHEMA_NEWER: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 65, retryable: false },
  STORE_SCHEMA_OLDER: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 65, retryable: false },
  STORE_READ_ONLY: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 73, retryable: false },
  STORE_NO_ACCESS: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 77, retryable: false },
  STORE_NOT_FOUND: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 66, retryable: false },
  STORE_GONE: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 66, retryable: false },
  STORE_MOVED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 66, retryable: false },
  STORE_LOCKED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 75, retryable: true },
  STORE_FULL: { rpc: RPC_CODES.INTERNAL_ERROR, http: 507, exit: 74, retryable: true },
  STORE_CLOSED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 70, retryable: false },
  STORE_KEY_MISSING: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 78, retryable: false },
  STORE_KEY_WRONG: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 78, retryable: false },
  STORE_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 74, retryable: false },

  ENGINE_CLOSED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 70, retryable: true },
  HOST_CLOSED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 503, exit: 70, retryable: false },
  SERVER_NOT_FOUND: { rpc: RPC_CODES.INVALID_PARAMS, http: 404, exit: 4, retryable: false },
  UNTRUSTED_CONFIG: { rpc: RPC_CODES.INTERNAL_ERROR, http: 403, exit: 77, retryable: false },
  CONNECT_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 502, exit: 69, retryable: true },
  LINE_LOST: { rpc: RPC_CODES.INTERNAL_ERROR, http: 502, exit: 69, retryable: true },
  SIGN_IN_NEEDED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 502, exit: 77, retryable: true },
  SIGN_IN_FAILED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 502, exit: 77, retryable: true },
  DETACHED: { rpc: RPC_CODES.INTERNAL_ERROR, http: 409, exit: 5, retryable: true },
  CALL_NOT_FOUND: { rpc: RPC_CODES.INVALID_PARAMS, http: 404, exit: 4, retryable: false },
  AMBIGUOUS_ID: { rpc: RPC_CODES.INVALID_PARAMS, http: 400, exit: 2, retryable: false },
  USAGE: { rpc: RPC_CODES.INVALID_PARAMS, http: 400, exit: 2, retryable: false },
  INTERNAL: { rpc: RPC_CODES.INTERNAL_ERROR, http: 500, exit: 70, retryable: false },
} as const satisfies Record<string, ErrorTraits>;

/** A stable name for one kind of failure. */
export type TaskErrorCode = keyof typeof CODES;

/** A failure Holdfast can name; its message says what was wrong and what is expected instead. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly code: TaskErrorCode;
  /** Details a program can act on; safe to send to the peer. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: TaskErrorCode, message: string, options: { cause?: unknown; data?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
  }

  get traits(): ErrorTraits {
    return CODES[this.code];
  }
}

/** All error codes, for docs and tests. */
export const taskErrorCodes = Object.keys(CODES) as readonly TaskErrorCode[];

export function isTaskErrorCode(code: string): code is TaskErrorCode {
  return Object.hasOwn(CODES, code);
}

/** Returns the JSON-RPC error number of a code. */
export function toRpcCode(code: TaskErrorCode): number {
  return CODES[code].rpc;
}

/** Whether a thrown value is a Holdfast error, with this code if one is given. */
export function isTaskError(error: unknown, code?: TaskErrorCode): error is TaskError {
  return error instanceof TaskError && (code === undefined || error.code === code);
}

/** The only conversion for foreign errors: a bug becomes `INTERNAL`, and none of its text reaches the peer. */
export function toTaskError(error: unknown): TaskError {
  if (error instanceof TaskError) return error;
  return new TaskError('INTERNAL', 'Internal error', { cause: error });
}
