/**
 * How much a peer may make us keep or compute, in one place, each with its reason.
 *
 * A peer is whoever sends us something: a client, a server that a host calls, a file of a project. What the owner may
 * set is an option whose default stands here.
 */

/** What one principal may take of a shared server, unless the owner says otherwise. Does not bind the owner itself. */
export const PRINCIPAL_LIMITS = {
  /** A tenth of the queue's own limit: one principal alone never makes the queue full for the others. */
  queued: 1000,
  /** Holds a thousand results of 256 kB, and forty principals at their limit still fit on a small disk. */
  storedBytes: 268_435_456,
  /** A session costs about 100 kB of memory; one person's clients together open a few. */
  sessions: 100,
  /** An open subscription costs about 45 kB of memory and one look at every change of its task. */
  subscriptions: 100,
} as const;

/** How long a call may ask to keep its finished task: a week, which is also how long a tombstone is kept. */
export const MAX_TTL_MS = 604_800_000;

/** How many tasks of a program may wait, unless its owner says otherwise. */
export const QUEUE_LIMIT = 10_000;

/** What a wall clock, which anybody may set, can do to the time of a store; see `store/store-clock.ts`. */
export const STORE_TIME = {
  /** How often the time is kept, by writes that happen anyway: as much of it can be lost by a crash, and is unimportant. */
  keepEveryMs: 1000,
  /** How often it is looked up what others have kept: a read for each verb would cost a tenth of the verb. */
  lookEveryMs: 100,
  /** Clocks of one machine that differ by less are the same clock, read at another moment. */
  toleranceMs: 2000,
  /** A wall clock that is ahead by less is not worth a step. */
  minStepMs: 5000,
  /** How long all who write must have the same wall clock before it is believed; a worker writes every few seconds. */
  believeAfterMs: 600_000,
} as const;

/** A principal may hold this many times the slots that are still free, so the first one leaves a quarter to others. */
export const SLOTS_PER_FREE_SLOT = 3;

/** When a refused call may come again: not at once, which would be a flood of its own, and within a minute. */
export const RETRY_AFTER_MS = { min: 1000, max: 60_000 } as const;

/**
 * How long a connection must outlive an answer for the answer to count as read. Who drops an answer breaks the connection
 * at once; clients close one that they do not need any more after three seconds or later.
 */
export const ANSWER_OUTLIVED_MS = 2000;

/**
 * How often, at the least, a process tries to say that a call was left while the store takes nothing, and how long the
 * same call waits for that in another process. Clients that come again come at once; two equal calls that are both
 * meant are held up by it, so it is short.
 */
export const MAX_RELEASE_WAIT_MS = 250;
export const LEAVE_HEARD_MS = 1000;

/** The same in this process, which hears at once of a connection that breaks; only a proxy between may be slower. */
export const OWN_LEAVE_HEARD_MS = 100;

/** For how long a call gets its stored result again when the answer was lost: clients that repeat a call do so by then. */
export const DEFAULT_JOIN_MS = 30_000;

/** The audit is kept in files of this size, so that a client that cancels in a loop cannot fill the disk. */
export const AUDIT_FILE = { maxBytes: 10_485_760, kept: 5 } as const;

/* One message of a client, before it is parsed. */

/** Bytes of one line on stdio: three times the largest text that clients are known to send, and little to keep. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Bytes of the header before a message on stdio, where a client sends such: two short lines are usual. */
export const MAX_HEADER_BYTES = 4096;

/** Bytes that are kept of a client on stdio while all that serves it is being loaded; more wait in the pipe. */
export const MAX_EARLY_BYTES = 1024 * 1024;

/** Bytes that such a header may announce. More than may be kept are let go as they come; a length beyond this is none. */
export const MAX_SKIPPED_BYTES = 1024 * 1024 * 1024;

/** Levels of a message: those who check it go down level by level, and each value costs more the deeper it lies. */
export const MAX_MESSAGE_LEVELS = 100;

/**
 * Members that all objects of a message may have together. A member costs up to 10 µs from the wire to the store, twenty
 * times what the same bytes cost within a text, so this many bind the event loop for a tenth of a second or two.
 */
export const MAX_MESSAGE_MEMBERS = 20_000;

/** Values of a message, members and elements of lists together; each costs up to 0.5 µs. */
export const MAX_MESSAGE_VALUES = 100_000;

/** Messages of one batch (revision 2025-03-26), to a server or from one: each may be answered with a list of all tools. */
export const MAX_BATCH_MESSAGES = 50;

/* The parts of a message that are read for every request, whatever it asks. */

/** Members of a message, of its `params` or of a `result`: the SDK looks at each several times, and methods have ten. */
export const MAX_PARAMS = 100;

/** Members of `_meta`, of what a client says of itself, and of a list of answers, with all that is nested in them. */
export const MAX_META_MEMBERS = 1000;

/** Names in a subscription, of tasks and of resources: each that is followed costs a reader of its own. */
export const MAX_SUBSCRIBED_NAMES = 5000;

/** Characters of the id of a request and of a progress token: kept while it runs, and sent back with every message. */
export const MAX_ID_LENGTH = 1024;

/** Characters of a method's name, and of the version of a protocol: they are told back when they are not known. */
export const MAX_METHOD_LENGTH = 256;

/** Characters of what names a tool, a prompt, a task, a key: it is looked up in indexes and stands in errors. */
export const MAX_NAME_LENGTH = 512;

/** Characters of a URI and of a cursor, as much as servers take in the first line of a request. */
export const MAX_URI_LENGTH = 8192;

/**
 * Characters that are kept of what a client calls itself: it is compared with all known names, kept with every act of the
 * client, and sent with its session id. Real ones have less than 40.
 */
export const MAX_CLIENT_TEXT_LENGTH = 200;

/** Characters that are kept of why a request was cancelled: it becomes the outcome of a task. */
export const MAX_REASON_LENGTH = 1000;

/** Each is looked for in every cancel of the client. */
export const MAX_LEAVE_REASONS = 20;

/** Client names whose profile is remembered; one who makes up new names pushes out only those of others. */
export const MAX_KNOWN_CLIENTS = 1000;

/** Characters of what is said to be wrong with somebody's input, which may be wrong in a hundred thousand places. */
export const MAX_COMPLAINT_LENGTH = 4000;

/* What we send. */

/** Bytes of what a tool returns: it is kept, parsed again and sent, often more than once. */
export const MAX_RESULT_BYTES = 10 * 1024 * 1024;

/** Bytes of what a tool returns where most of it is kept as artifacts: it is in memory whole when it is cut up. */
export const MAX_KEPT_RESULT_BYTES = 64 * 1024 * 1024;

/** What of a result is shown before the rest of it becomes a link. */
export const SHOWN_RESULT = {
  /** More than a model can read: a token is about four bytes, and the largest windows hold some hundred thousand. */
  textBytes: 256 * 1024,
  /** A picture that clients still show; in base64 it is a third larger. */
  binaryBytes: 1024 * 1024,
  /** Of a text that became a link: enough to see what it is, */
  headBytes: 16 * 1024,
  /** and how it ended. */
  tailBytes: 4 * 1024,
} as const;

/** Bytes of an artifact that are read at once: more than a model can read, and little to keep in memory. */
export const ARTIFACT_READ_BYTES = 4 * 1024 * 1024;

/** The same for a model that reads it by a tool: about 16,000 tokens, which clients with a limit still take. */
export const COMPANION_READ_BYTES = 64 * 1024;

/** Bytes of one answer, whatever made it: more would fill the memory of those who read whole messages. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Bytes that may wait for a client which does not read its pipe; beyond them its requests are not read either. */
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

const KIB = 1024;
const MIB = 1024 * KIB;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What all HTTP clients of a server together may use. */
export const HTTP_DEFAULTS = {
  /** A body is held in memory whole, more than once while it is parsed. */
  maxBodyBytes: 4 * MIB,
  /** Bodies that are being read at the same time. Without it, many that each obey the limit fill the memory. */
  maxBytesInFlight: 64 * MIB,
  /** Each open socket is a file descriptor, of which a process has some thousands. */
  maxConnections: 8192,
  /** Each request that waits for its answer, and each open stream, holds a server of the SDK. */
  maxRequests: 4096,
  /** Each session in memory holds a server of the SDK, about 40 kB. */
  maxSessions: 10_000,
  /** Each subscription is looked at for every change of its tasks. */
  maxSubscriptions: 1024,
  /** Who dawdles over its headers holds a connection without having said who it is. */
  headersTimeoutMs: 15_000,
  /** Who dawdles over its body holds what was read of it. */
  requestTimeoutMs: MINUTE_MS,
  /** Sessions that nobody uses leave the memory; their ids say all that is needed to take them up again. */
  sessionIdleMs: 5 * MINUTE_MS,
  /** A session that was forgotten by its client must not be there for whoever finds its id. */
  sessionMaxIdleMs: DAY_MS,
  /** Nor one that is kept alive for ever. */
  sessionMaxAgeMs: 7 * DAY_MS,
} as const;

/** What one principal may use of that, where `verify` tells several apart: an eighth or so, so that others find room. */
export const HTTP_SHARES = { requests: 512, bytesInFlight: 16 * MIB } as const;

/**
 * Bytes of answers that wait to be read: a client that asks and does not read leaves them all in memory. One principal may
 * have two of the largest answers there are, and some principals that do so leave the server alive.
 */
export const UNREAD_BYTES = { perPrincipal: 2 * MAX_ANSWER_BYTES, inAll: 8 * MAX_ANSWER_BYTES } as const;

/** A refused upload of this size is read to its end and dropped, which spares its sender the connection. */
export const MAX_DRAINED_BYTES = 64 * KIB;

/** Characters of a protocol version in a session id, which is a header of every request. Real ones have ten. */
export const MAX_PROTOCOL_VERSION = 32;

/**
 * Characters of an event id, which comes back in one header beside that of the session. A request whose own id or token
 * makes it longer is answered without ids, and cannot be resumed.
 */
export const MAX_EVENT_ID_LENGTH = 2048;

/** How many questions an event id says the client has before it; tools ask one at a time. */
export const MAX_REMEMBERED_ASKED = 4;

/**
 * How many ended or long-lived sessions of one principal a store remembers one by one. Whoever goes beyond loses all
 * sessions that are older than the newer half of them: what is remembered stays bounded, and nothing ended comes back.
 */
export const MAX_REMEMBERED_SESSIONS = 10_000;

/**
 * How long a log in a directory that a client named belongs to the principal that used it last. Longer than a result is
 * kept there: while one can be read, nobody else may write under its id.
 */
export const PROMPT_LOG_CLAIM_MS = 8 * 24 * 3_600_000;

/**
 * The longest message that a host takes from a server: a line on stdio, an event or a body over HTTP. More than the
 * largest result of a Holdfast server (10 MiB) with all that goes around it. In memory the worst of them becomes twenty times that.
 */
export const HOST_MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Members of a message of a server that are looked at one by one: its own, those of its `params`, `result` or `_meta`, and
 * all of a question. Each costs some 5 µs, so this many bind the event loop for a tenth of a second.
 */
export const HOST_MAX_MEMBERS = 20_000;

/** How many times the longest message is read and let go to find the end of one that is too long. */
export const HOST_SKIPPED_TIMES = 16;

/** As much as is read of what a server says instead of an answer (an HTTP status, a page): enough for a reason. */
export const HOST_MAX_REFUSAL_BYTES = 64 * 1024;

/** How much of that reason becomes part of an outcome: it is for people. */
export const HOST_MAX_REFUSAL_CHARS = 2000;

/** Answers to a server that are on their way. One that asks without reading is not answered any more. */
export const HOST_MAX_OPEN_ANSWERS = 100;

/** Questions of one connection, or one call, that are put to people at a time: nobody can answer more. */
export const HOST_MAX_OPEN_QUESTIONS = 100;

/** Questions of one call in all, whose answers are kept. A program may answer thousands; a server without end has gone wrong. */
export const HOST_MAX_QUESTIONS = 10_000;

/** Characters of updates that are kept for whoever reads late, for each call; the number of updates has a limit too. */
export const HOST_MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** Characters of news that are kept until it is known whose job they tell of: room for one result. */
export const HOST_MAX_EARLY_CHARS = 2 ** 24;

/** Characters of a run's final text, in however many pieces it is told. */
export const HOST_MAX_RUN_CHARS = 2 ** 24;

/** Tools that a server may list, over all pages: a model can be shown a few hundred. */
export const HOST_MAX_TOOLS = 10_000;

/** What a server may say of when a broken stream is opened again: never in a tight loop, and within the hour. */
export const HOST_MIN_RECONNECT_MS = 100;
export const HOST_MAX_RECONNECT_MS = 3_600_000;

/** The longest file that says how servers are started: thousands of servers, and read at once. */
export const HOST_MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * How deep values are looked into for what is secret in them. Looking goes member by member on the stack; a caller that
 * nests deeper gets all below taken for secret.
 */
export const DEEPEST_SECRET = 100;

/**
 * With more redacted values than this, what a tool says is masked whole: each text is searched for each value, so a caller
 * with very many would decide how slow that is.
 */
export const MAX_SCRUBBED_VALUES = 64;

/** The longest task id that a host may make. It is kept with the task and in every entry of the log that names it. */
export const MAX_TASK_ID_LENGTH = 512;

/**
 * How often a task may be at work in a worker that is lost together with others, without being charged for it. Enough
 * for a bad day of kills from outside; and an end for a task that is lost every time.
 */
export const MAX_SHARED_LOSSES = 10;

/** How long a keeper waits with open calls for a host that never comes. A day is more than a night, and a process is not for ever. */
export const KEEPER_ALONE_MS = 86_400_000;

/** How long a keeper tries to write down an answer: long enough to free a full disk; what stays unwritable is so for good. */
export const KEEPER_UNWRITTEN_MS = 3_600_000;
