// @ts-check
/**
 * The meaning of each error code and the remedy, for docs/errors.md. A code without a note does not type-check.
 *
 * @satisfies {Record<import('../../src/errors.ts').TaskErrorCode, { means: string, remedy: string }>}
 */
export const ERROR_NOTES = {
  TASK_NOT_FOUND: {
    means: 'There is no task of this id, or it belongs to another principal.',
    remedy:
      'Check the id with `holdfast tasks list`. A task that has expired says so itself as long as it is remembered.',
  },
  ARTIFACT_NOT_FOUND: {
    means: 'The task keeps nothing under this name, or its time is up.',
    remedy: 'Read the link that the result of the task has; run the work again if the task has expired.',
  },
  TOOL_NOT_FOUND: {
    means: 'The server has no tool of this name.',
    remedy: 'List its tools with `holdfast tools`.',
  },
  INVALID_ARGUMENT: {
    means: 'An argument or an option is not what is expected; the message names it, its value and what is expected.',
    remedy: 'Correct it and try again.',
  },
  INVALID_TTL: {
    means: 'The time to live that the client asked for is no length of time, or is not allowed.',
    remedy: 'Ask for a time within the limits that the message names, or for none.',
  },
  IDEMPOTENCY_CONFLICT: {
    means: 'The idempotency key was used before, for another tool or other arguments.',
    remedy: 'Use a new key for new work; repeat the call unchanged to join the work of before.',
  },
  ALIAS_CONFLICT: {
    means: 'The task id that the client made is taken by another task.',
    remedy: 'Make a new id for each call.',
  },
  QUEUE_FULL: {
    means: 'So many tasks wait already that no more are taken.',
    remedy: 'Try again later, run more workers, or raise the limit.',
  },
  QUOTA_EXCEEDED: {
    means: 'The principal has used up what it may use: tasks at once, bytes kept, or calls in a time.',
    remedy: 'Wait until some of it has ended, or raise the quota of the server.',
  },
  QUESTION_NOT_OPEN: {
    means: 'The question does not wait for an answer: it was answered, withdrawn, or never asked.',
    remedy: 'See what is open with `holdfast tasks show`.',
  },
  ANSWER_INVALID: {
    means: 'The answer does not fit the form of the question. The question stays open.',
    remedy: 'Answer again; the message names the fields that do not fit.',
  },
  QUESTION_DECLINED: {
    means: 'The person, or the client in their place, declined or dismissed what the tool asked.',
    remedy: 'Catch it in the tool when it can go on without the answer.',
  },
  REPLAY_MISMATCH: {
    means: 'A tool that was run again asked another question under a key that has an answer.',
    remedy: 'Ask in the same order in every run, or give questions keys of their own.',
  },
  TOOL_FAILED: {
    means: 'The tool threw an error.',
    remedy: 'Read the message, and `holdfast logs`; repair the tool or its arguments.',
  },
  RESULT_NOT_SERIALIZABLE: {
    means: 'The tool returned something that JSON cannot carry.',
    remedy: 'Return plain values: no functions, cycles or big integers.',
  },
  RESULT_TOO_LARGE: {
    means: 'The result is larger than the server keeps, or than the host takes.',
    remedy: 'Write it to a file and return where it is, or raise `maxResultBytes` or `maxAnswerBytes`.',
  },
  NOT_STARTED: {
    means: 'No worker began the task within the time it may wait for one.',
    remedy: 'See whether a worker runs (`holdfast where`), then call again.',
  },
  TIMED_OUT: {
    means: 'The tool ran longer than `maxRunMs`.',
    remedy: 'Raise the limit if that is normal; time spent waiting for answers does not count.',
  },
  CRASHED: {
    means: 'The process that ran the tool ended without a result, as often as it may be tried.',
    remedy: 'Look at what it printed: `holdfast logs TASK --worker`.',
  },
  STALLED: {
    means: 'The tool gave no sign of life for `stallMs`.',
    remedy: 'Report progress more often, raise the limit, or find out what it waits for.',
  },
  CANCELLED: {
    means: 'The work was cancelled: by its caller, by an operator, or because its caller went away.',
    remedy: 'Nothing; call again if it is still wanted.',
  },
  PARKED: {
    means: 'The attempt was put aside until its question is answered. Tools hear it as the reason of their signal.',
    remedy: 'Nothing; do not catch it in a tool.',
  },
  LEASE_LOST: {
    means:
      'The worker has lost the right to run the task: another runs it, it has ended, or the worker is shutting down.',
    remedy: 'Nothing; stop the work. What is written now changes nothing.',
  },
  SPAWN_FAILED: {
    means: 'A program of the tool could not be started.',
    remedy: 'Check the command, its directory and its rights.',
  },
  COMMAND_NOT_FOUND: {
    means: 'A program that is needed is not there, or ended at once.',
    remedy: 'Install it, or say where it is; the message names the setting.',
  },
  LISTEN_FAILED: {
    means: 'The server cannot listen on this address: the port is taken, or may not be used.',
    remedy: 'Choose another port (0 takes a free one), or end the program that has it.',
  },
  INTERRUPTED: {
    means: 'The worker died, and the tool may not be repeated. How much of the work was done is not known.',
    remedy: 'See what it did, then call again. Mark tools that may be repeated as `idempotent`.',
  },
  STORE_CORRUPT: {
    means: 'The database is damaged.',
    remedy: 'Put back a copy, or move the file away: a new one is made.',
  },
  STORE_FOREIGN: {
    means: 'The file is a database of another program.',
    remedy: 'Check the path.',
  },
  STORE_SCHEMA_NEWER: {
    means: 'A newer version of Holdfast has written the database.',
    remedy: 'Update this one.',
  },
  STORE_SCHEMA_OLDER: {
    means: 'An older version has written the database, and this command only looks.',
    remedy: 'Start the server once with this version: it brings the database up to date.',
  },
  STORE_READ_ONLY: {
    means: 'The database, its directory or its disk cannot be written.',
    remedy: 'Name another place with `HOLDFAST_DIR`, or give the rights.',
  },
  STORE_NO_ACCESS: {
    means: 'The database may not be read by this user.',
    remedy: 'Run as its owner, or give the rights.',
  },
  STORE_NOT_FOUND: {
    means: 'There is no database, ledger or log at this path.',
    remedy: 'See what there is with `holdfast where`, and name it with `--name` or `--store`.',
  },
  STORE_GONE: {
    means: 'The database was moved or deleted while it was in use.',
    remedy: 'Restart the server; put the file back first if its tasks are wanted.',
  },
  STORE_MOVED: {
    means: 'A copy has closed the store: it went elsewhere, or is not all here yet.',
    remedy:
      'Use the store that the message names, or complete the copy with `holdfast store copy`; `holdfast store reopen` lets the old one be used again.',
  },
  STORE_LOCKED: {
    means: 'Another process holds the database for longer than it is waited for.',
    remedy: 'Try again; end the process that holds it if it does not let go.',
  },
  STORE_FULL: {
    means: 'The disk is full, or the database has reached its limit.',
    remedy: 'Make room, or drop finished tasks: `holdfast tasks prune`.',
  },
  STORE_CLOSED: {
    means: 'The store was used after it was closed.',
    remedy: 'Close it last.',
  },
  STORE_KEY_MISSING: {
    means: 'Payloads are encrypted, and no key for them is given.',
    remedy: 'Name the key file with `--key-file` or `HOLDFAST_KEY_FILE`.',
  },
  STORE_KEY_WRONG: {
    means: 'A key of this name is given, and does not fit what was encrypted with it; or the payload was changed.',
    remedy: 'Give the key file that was in use when it was written.',
  },
  STORE_FAILED: {
    means: 'The database or its disk failed in another way; the cause says how.',
    remedy: 'Look at the cause and at the disk.',
  },
  ENGINE_CLOSED: {
    means: 'The engine, or the server around it, is shutting down.',
    remedy: 'Try again: another process takes over.',
  },
  HOST_CLOSED: {
    means: 'The host was used after it was closed.',
    remedy: 'Open another; calls in its ledger are still there.',
  },
  SERVER_NOT_FOUND: {
    means: 'No server of this name is connected, or stands in a file here or above.',
    remedy: 'See which there are with `holdfast tools`.',
  },
  UNTRUSTED_CONFIG: {
    means: 'A file says what to run, and you have not said yes to it; or others can write it.',
    remedy: 'Look at it, then say yes on a terminal or with `--trust`; or own it alone.',
  },
  CONNECT_FAILED: {
    means: 'The server could not be started or reached, or did not shake hands.',
    remedy: 'Run its command by hand, or open its URL; the message repeats what it said.',
  },
  LINE_LOST: {
    means: 'The connection broke before the answer came.',
    remedy: 'Nothing: a host connects again and goes on with its calls.',
  },
  SIGN_IN_NEEDED: {
    means: 'A server behind the gateway wants to know who you are, and no token of yours is good any more.',
    remedy: 'Sign in with `holdfast auth NAME`; calls wait until then.',
  },
  SIGN_IN_FAILED: {
    means: 'You were sent to a page to sign in, and the server there refused or the sign-in was given up.',
    remedy: 'The message says what the server said; try again with `holdfast auth NAME`.',
  },
  DETACHED: {
    means: 'Nobody waits for the call here any more. It goes on.',
    remedy: 'Wait for it again: `holdfast calls wait`, or `host.resume()`.',
  },
  CALL_NOT_FOUND: {
    means: 'The ledger has no call of this id, or its outcome has been taken.',
    remedy: 'See which there are with `holdfast calls list --all`.',
  },
  AMBIGUOUS_ID: {
    means: 'The beginning of an id fits several; the message lists them.',
    remedy: 'Give more characters.',
  },
  USAGE: {
    means: 'The command line is not understood; the message says what is expected.',
    remedy: 'See `holdfast COMMAND --help`.',
  },
  INTERNAL: {
    means: 'A fault of the program. Its text is kept from peers; the operator finds it in the log.',
    remedy: 'Report it, with the log.',
  },
};
