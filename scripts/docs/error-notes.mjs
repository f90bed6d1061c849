// @ts-check
/**
 * The meaning of each error code and the remedy, for docs/errors.md. A code without a note does not type-check.
 *
 * @satisfies {Record<import('../../src/errors.ts').TaskErrorCode, { means: string, remedy: string }>}
 */
export const ERROR_NOTES = {
  TASK_NOT_FOUND: {
    means: 'There is no task with this id, or it belongs to another principal.',
    remedy:
      'Check the id with `holdfast tasks list`. An expired task is reported as expired until its tombstone is deleted.',
  },
  ARTIFACT_NOT_FOUND: {
    means: 'The task has no artifact with this name, or it has expired.',
    remedy: 'Use the link in the result of the task; run the work again if the task has expired.',
  },
  TOOL_NOT_FOUND: {
    means: 'The server has no tool with this name.',
    remedy: 'List its tools with `holdfast tools`.',
  },
  INVALID_ARGUMENT: {
    means: 'An argument or option is invalid; the message names it, its value and what is expected.',
    remedy: 'Correct it and try again.',
  },
  INVALID_TTL: {
    means: 'The time to live that the client requested is not a valid duration, or is not allowed.',
    remedy: 'Request a time within the limits in the message, or none.',
  },
  IDEMPOTENCY_CONFLICT: {
    means: 'The idempotency key was used before, for another tool or other arguments.',
    remedy: 'Use a new key for new work; repeat the call unchanged to join the earlier work.',
  },
  ALIAS_CONFLICT: {
    means: 'The task id that the client chose is already used by another task.',
    remedy: 'Generate a new id for each call.',
  },
  QUEUE_FULL: {
    means: 'The queue is full: too many tasks are already waiting.',
    remedy: 'Try again later, run more workers, or raise the limit.',
  },
  QUOTA_EXCEEDED: {
    means: 'The principal has reached a quota: concurrent tasks, stored bytes, or calls per period.',
    remedy: 'Wait until usage drops, or raise the quota of the server.',
  },
  QUESTION_NOT_OPEN: {
    means: 'The question is not open: it was answered, withdrawn, or never asked.',
    remedy: 'List open questions with `holdfast tasks show`.',
  },
  ANSWER_INVALID: {
    means: 'The answer does not match the schema of the question. The question stays open.',
    remedy: 'Answer again; the message names the invalid fields.',
  },
  QUESTION_DECLINED: {
    means: 'The user, or the client on their behalf, declined or dismissed the question of the tool.',
    remedy: 'Catch it in the tool if the tool can continue without the answer.',
  },
  REPLAY_MISMATCH: {
    means: 'A tool that was run again asked a different question under a key that already has an answer.',
    remedy: 'Ask in the same order in every run, or give each question its own key.',
  },
  TOOL_FAILED: {
    means: 'The tool threw an error.',
    remedy: 'Read the message and `holdfast logs`; fix the tool or its arguments.',
  },
  RESULT_NOT_SERIALIZABLE: {
    means: 'The tool returned a value that cannot be serialized as JSON.',
    remedy: 'Return plain values: no functions, cycles or big integers.',
  },
  RESULT_TOO_LARGE: {
    means: 'The result is larger than the server stores or the host accepts.',
    remedy: 'Write it to a file and return its path, or raise `maxResultBytes` or `maxAnswerBytes`.',
  },
  NOT_STARTED: {
    means: 'No worker started the task within its maximum waiting time.',
    remedy: 'Check that a worker is running (`holdfast where`), then call again.',
  },
  TIMED_OUT: {
    means: 'The tool ran longer than `maxRunMs`.',
    remedy: 'Raise the limit if that is normal; time spent waiting for answers does not count.',
  },
  CRASHED: {
    means: 'The process that ran the tool ended without a result on every allowed attempt.',
    remedy: 'Check its output: `holdfast logs TASK --worker`.',
  },
  STALLED: {
    means: 'The tool reported no activity for `stallMs`.',
    remedy: 'Report progress more often, raise the limit, or find out what it waits for.',
  },
  CANCELLED: {
    means: 'The work was cancelled: by its caller, by an operator, or because its caller disconnected.',
    remedy: 'Nothing; call again if the work is still needed.',
  },
  PARKED: {
    means:
      'The attempt was parked until its question is answered. Tools receive it as the reason of their abort signal.',
    remedy: 'Nothing; do not catch it in a tool.',
  },
  LEASE_LOST: {
    means:
      'The worker has lost its lease: another worker runs the task, the task has ended, or the worker is shutting down.',
    remedy: 'Nothing; stop the work. Further writes have no effect.',
  },
  SPAWN_FAILED: {
    means: 'A program that the tool runs could not be started.',
    remedy: 'Check the command, its directory and its permissions.',
  },
  COMMAND_NOT_FOUND: {
    means: 'A required program is missing, or exited immediately.',
    remedy: 'Install it or set its path; the message names the setting.',
  },
  LISTEN_FAILED: {
    means: 'The server cannot listen on this address: the port is in use or not permitted.',
    remedy: 'Choose another port (0 picks a free one), or stop the program that uses it.',
  },
  INTERRUPTED: {
    means: 'The worker died and the tool may not be repeated. It is unknown how much of the work was done.',
    remedy: 'Check what it did, then call again. Mark tools that may be repeated as `idempotent`.',
  },
  STORE_CORRUPT: {
    means: 'The database is damaged.',
    remedy: 'Restore a backup, or move the file away: a new one is created.',
  },
  STORE_FOREIGN: {
    means: 'The file is a database of another program.',
    remedy: 'Check the path.',
  },
  STORE_SCHEMA_NEWER: {
    means: 'The database was written by a newer version of Holdfast.',
    remedy: 'Update this installation.',
  },
  STORE_SCHEMA_OLDER: {
    means: 'The database was written by an older version, and this command is read-only.',
    remedy: 'Start the server once with this version: it migrates the database.',
  },
  STORE_READ_ONLY: {
    means: 'The database, its directory or its disk is not writable.',
    remedy: 'Set another directory with `HOLDFAST_DIR`, or grant write permission.',
  },
  STORE_NO_ACCESS: {
    means: 'This user may not read the database.',
    remedy: 'Run as its owner, or grant permission.',
  },
  STORE_NOT_FOUND: {
    means: 'There is no database, ledger or log at this path.',
    remedy: 'List the stores with `holdfast where`, and select one with `--name` or `--store`.',
  },
  STORE_GONE: {
    means: 'The database was moved or deleted while it was in use.',
    remedy: 'Restart the server; restore the file first if its tasks are needed.',
  },
  STORE_MOVED: {
    means: 'The store was closed by a copy: it was moved, or the copy to this place is incomplete.',
    remedy:
      'Use the store that the message names, or complete the copy with `holdfast store copy`; `holdfast store reopen` reopens the old one.',
  },
  STORE_LOCKED: {
    means: 'Another process kept the database locked until the wait timed out.',
    remedy: 'Try again; stop the process that uses the database if it does not release it.',
  },
  STORE_FULL: {
    means: 'The disk is full, or the database has reached its limit.',
    remedy: 'Free space, or delete finished tasks: `holdfast tasks prune`.',
  },
  STORE_CLOSED: {
    means: 'The store was used after it was closed.',
    remedy: 'Close the store last.',
  },
  STORE_KEY_MISSING: {
    means: 'Payloads are encrypted, and no key for them was given.',
    remedy: 'Set the key file with `--key-file` or `HOLDFAST_KEY_FILE`.',
  },
  STORE_KEY_WRONG: {
    means: 'The key with this id does not match the one that encrypted the payload, or the payload was modified.',
    remedy: 'Use the key file with which the payload was written.',
  },
  STORE_FAILED: {
    means: 'The database or its disk failed in another way; see the cause.',
    remedy: 'Check the cause and the disk.',
  },
  ENGINE_CLOSED: {
    means: 'The engine, or the server around it, is shutting down.',
    remedy: 'Try again: another process takes over.',
  },
  HOST_CLOSED: {
    means: 'The host was used after it was closed.',
    remedy: 'Create a new one; calls in the ledger are kept.',
  },
  SERVER_NOT_FOUND: {
    means: 'No server with this name is connected, or configured here or in a parent directory.',
    remedy: 'List the servers with `holdfast tools`.',
  },
  UNTRUSTED_CONFIG: {
    means: 'A config file names a program to run that you have not approved, or other users can write the file.',
    remedy: 'Review it, then approve it on a terminal or with `--trust`; or make yourself its only owner and writer.',
  },
  CONNECT_FAILED: {
    means: 'The server could not be started or reached, or the handshake failed.',
    remedy: 'Run its command by hand, or open its URL; the message includes its output.',
  },
  LINE_LOST: {
    means: 'The connection was lost before the response arrived.',
    remedy: 'Nothing: a host reconnects and resumes its calls.',
  },
  SIGN_IN_NEEDED: {
    means: 'A server behind the gateway requires authentication, and you have no valid token.',
    remedy: 'Sign in with `holdfast auth NAME`; calls wait until then.',
  },
  SIGN_IN_FAILED: {
    means: 'The server rejected the sign-in, or it was abandoned.',
    remedy: 'The message includes the response of the server; try again with `holdfast auth NAME`.',
  },
  DETACHED: {
    means: 'This process no longer waits for the call. The call continues.',
    remedy: 'Wait for it again: `holdfast calls wait`, or `host.resume()`.',
  },
  CALL_NOT_FOUND: {
    means: 'The ledger has no call with this id, or its outcome was acknowledged.',
    remedy: 'List the calls with `holdfast calls list --all`.',
  },
  AMBIGUOUS_ID: {
    means: 'The id prefix matches several ids; the message lists them.',
    remedy: 'Give more characters.',
  },
  USAGE: {
    means: 'The command line is invalid; the message says what is expected.',
    remedy: 'See `holdfast COMMAND --help`.',
  },
  INTERNAL: {
    means: 'An internal error. Its text is not sent to peers; the operator finds it in the log.',
    remedy: 'Report it with the log.',
  },
};
