/**
 * How much a peer may make us store or compute, in one place, each limit with its reason.
 *
 * A peer is any source of data: a client, a server that a host calls, a file of a project. Limits the owner may set are
 * options; their defaults are here.
 */

/** Default limits of one principal on a shared server. They do not bind the owner itself. */
export const PRINCIPAL_LIMITS = {
  /** A tenth of the queue's own limit: one principal alone never fills the queue for the others. */
  queued: 1000,
  /** Room for a thousand results of 256 kB; forty principals at their limit still fit on a small disk. */
  storedBytes: 268_435_456,
  /** A session costs about 100 kB of memory; one person's clients together open a few. */
  sessions: 100,
  /** An open subscription costs about 45 kB of memory and one read at every change of its task. */
  subscriptions: 100,
} as const;

/** How long a call may ask to keep its finished task: a week, as long as a tombstone is kept. */
export const MAX_TTL_MS = 604_800_000;

/** How many tasks of a program may be queued, by default. */
export const QUEUE_LIMIT = 10_000;

/** How far a wall clock, which anybody may set, can move the time of a store; see `store/store-clock.ts`. */
export const STORE_TIME = {
  /** How often the time is stored, by writes that happen anyway: a crash loses up to this much of it, which is harmless. */
  keepEveryMs: 1000,
  /** How often the time that other processes stored is read: reading it in each verb would add a tenth to the verb's cost. */
  lookEveryMs: 100,
  /** Clocks of one machine that differ by less are the same clock, read at different moments. */
  toleranceMs: 2000,
  /** A wall clock that is ahead by less does not move the store's time. */
  minStepMs: 5000,
  /** How long all writers must have the same wall clock before it is believed; a worker writes every few seconds. */
  believeAfterMs: 600_000,
} as const;

/** A principal may hold this many times the number of free slots, so the first principal leaves a quarter to others. */
export const SLOTS_PER_FREE_SLOT = 3;

/** Bounds of the retry delay of a refused call: not immediate, which would cause a flood of retries, and within a minute. */
export const RETRY_AFTER_MS = { min: 1000, max: 60_000 } as const;

/**
 * How long a connection must outlive an answer for the answer to count as read. A client that drops an answer breaks
 * the connection at once; clients close an unneeded connection after three seconds or later.
 */
export const ANSWER_READ_AFTER_MS = 2000;

/**
 * `MAX_RELEASE_WAIT_MS` is the longest back-off between retries to store that a call was abandoned; `ABANDON_VISIBLE_MS`
 * is how long the same call in another process waits for that. Clients retry at once, and two equal calls that are both
 * intended are delayed by it, so it is short.
 */
export const MAX_RELEASE_WAIT_MS = 250;
export const ABANDON_VISIBLE_MS = 1000;

/**
 * Like `ABANDON_VISIBLE_MS`, within this process, which notices a broken connection at once unless a proxy in between
 * is slow.
 */
export const LOCAL_ABANDON_VISIBLE_MS = 100;

/** For how long a repeated call gets the stored result of one whose answer was lost: clients that retry do so within this. */
export const DEFAULT_JOIN_MS = 30_000;

/** Size and number of the audit files, bounded so that a client that cancels in a loop cannot fill the disk. */
export const AUDIT_FILE = { maxBytes: 10_485_760, kept: 5 } as const;

/* One message of a client, before it is parsed. */

/** Bytes of one line on stdio: three times the largest text that clients are known to send, and little to buffer. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Bytes of the header before a message on stdio, for clients that send one: two short lines are usual. */
export const MAX_HEADER_BYTES = 4096;

/** Bytes of a stdio client that are buffered while the serving code is being loaded; more wait in the pipe. */
export const MAX_EARLY_BYTES = 1024 * 1024;

/** Bytes that a `Content-Length` header may announce. A body too large to buffer is skipped; a larger length is invalid. */
export const MAX_SKIPPED_BYTES = 1024 * 1024 * 1024;

/** Nesting levels of a message: validators recurse level by level, and each value costs more the deeper it is nested. */
export const MAX_MESSAGE_LEVELS = 100;

/**
 * Members of all objects of a message together. A member costs up to 10 µs from the wire to the store, twenty times
 * what the same bytes cost as text, so this many block the event loop for a tenth of a second or two.
 */
export const MAX_MESSAGE_MEMBERS = 20_000;

/** Values of a message, object members and list elements together; each costs up to 0.5 µs. */
export const MAX_MESSAGE_VALUES = 100_000;

/** Messages of one batch (revision 2025-03-26), to a server or from one: each may be answered with a list of all tools. */
export const MAX_BATCH_MESSAGES = 50;

/* The parts of a message that are read for every request, whatever its method. */

/** Members of a message, of its `params` or of a `result`: the SDK reads each several times; methods have about ten. */
export const MAX_PARAMS = 100;

/** Members of `_meta` and of what a client says of itself, nested ones included; also the number of `inputResponses`. */
export const MAX_META_MEMBERS = 1000;

/** Tasks and resources named in one subscription: each that is followed costs a reader of its own. */
export const MAX_SUBSCRIBED_NAMES = 5000;

/** Characters of a request id or a progress token: kept while the request runs, and sent back with every message. */
export const MAX_ID_LENGTH = 1024;

/** Characters of a method name or a protocol version: unknown ones are repeated in the error. */
export const MAX_METHOD_LENGTH = 256;

/** Characters of the name of a tool or prompt, of a task id or key: looked up in indexes and repeated in errors. */
export const MAX_NAME_LENGTH = 512;

/** Characters of a URI or a cursor, as much as servers accept in the first line of an HTTP request. */
export const MAX_URI_LENGTH = 8192;

/**
 * Characters kept of each text with which a client describes itself: it is compared with all known names, stored with
 * every act of the client, and sent with its session id. Real ones have less than 40.
 */
export const MAX_CLIENT_TEXT_LENGTH = 200;

/** Characters kept of the reason a request was cancelled with: it becomes the outcome of a task. */
export const MAX_REASON_LENGTH = 1000;

/** How many leave reasons a profile may have: each is searched for in every cancel of the client. */
export const MAX_LEAVE_REASONS = 20;

/** How many client names are remembered; a client that makes up new names only evicts those of others. */
export const MAX_KNOWN_CLIENTS = 1000;

/** Characters of an input validation error: the input may be wrong in a hundred thousand places. */
export const MAX_VALIDATION_ERROR_LENGTH = 4000;

/* What we send. */

/** Bytes that a tool may return: the result is stored, parsed again and sent, often more than once. */
export const MAX_RESULT_BYTES = 10 * 1024 * 1024;

/** Bytes that a tool may return if most of them become artifacts: the whole result is in memory while it is split. */
export const MAX_KEPT_RESULT_BYTES = 64 * 1024 * 1024;

/** How much of a result is shown before the rest becomes a link. */
export const SHOWN_RESULT = {
  /** More than a model can read: a token is about four bytes, and the largest windows hold some hundred thousand. */
  textBytes: 256 * 1024,
  /** An image that clients still show; base64 makes it a third larger. */
  binaryBytes: 1024 * 1024,
  /** The beginning of a text that became a link: enough to see what it is. */
  headBytes: 16 * 1024,
  /** The end of such a text. */
  tailBytes: 4 * 1024,
} as const;

/** Bytes of an artifact that are read at once: more than a model can read, and little to hold in memory. */
export const ARTIFACT_READ_BYTES = 4 * 1024 * 1024;

/**
 * Like `ARTIFACT_READ_BYTES`, for a model that reads by a tool call: about 16,000 tokens, which clients with a limit
 * still accept.
 */
export const COMPANION_READ_BYTES = 64 * 1024;

/** Bytes of any one answer: more would fill the memory of clients that read whole messages. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Bytes that may be queued for a client that does not read its pipe; beyond them its requests are not read either. */
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

const KIB = 1024;
const MIB = 1024 * KIB;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Limits of all HTTP clients of a server together. */
export const HTTP_DEFAULTS = {
  /** A body is held in memory as a whole, more than once while it is parsed. */
  maxBodyBytes: 4 * MIB,
  /** Bodies that are being read at the same time. Without it, many bodies within the size limit would fill the memory. */
  maxBytesInFlight: 64 * MIB,
  /** Each open socket is a file descriptor, of which a process has a few thousand. */
  maxConnections: 8192,
  /** Each waiting request and each open stream holds an SDK server. */
  maxRequests: 4096,
  /** Each session in memory holds an SDK server, about 40 kB. */
  maxSessions: 10_000,
  /** Each subscription is checked at every change of its tasks. */
  maxSubscriptions: 1024,
  /** A client that is slow with its headers holds a connection before it has identified itself. */
  headersTimeoutMs: 15_000,
  /** A client that is slow with its body holds the memory of what has been read. */
  requestTimeoutMs: MINUTE_MS,
  /** Idle sessions are dropped from memory; their ids hold all that is needed to restore them. */
  sessionIdleMs: 5 * MINUTE_MS,
  /** A session that its client abandoned must not stay usable for anyone who finds its id. */
  sessionMaxIdleMs: DAY_MS,
  /** A session that is kept alive must not last for ever either. */
  sessionMaxAgeMs: 7 * DAY_MS,
} as const;

/**
 * What one principal may use of those limits, where `verify` tells principals apart: about an eighth, so that others
 * find room.
 */
export const HTTP_SHARES = { requests: 512, bytesInFlight: 16 * MIB } as const;

/**
 * Bytes of answers that wait to be read: a client that sends requests and does not read keeps all answers in memory.
 * One principal may have two answers of the largest size, and several principals at that limit leave the server alive.
 */
export const UNREAD_BYTES = { perPrincipal: 2 * MAX_ANSWER_BYTES, inAll: 8 * MAX_ANSWER_BYTES } as const;

/** A refused upload up to this size is read to its end and discarded, so that the sender keeps its connection. */
export const MAX_DRAINED_BYTES = 64 * KIB;

/** Characters of a protocol version in a session id, which is a header of every request. Real ones have ten. */
export const MAX_PROTOCOL_VERSION = 32;

/**
 * Characters of an event id, which comes back in one header beside that of the session. A request whose own id or
 * progress token makes it longer is answered without event ids, and cannot be resumed.
 */
export const MAX_EVENT_ID_LENGTH = 2048;

/** How many pending questions an event id lists; tools ask one at a time. */
export const MAX_REMEMBERED_ASKED = 4;

/**
 * How many ended or long-lived sessions of one principal a store remembers individually. Beyond that, all sessions of
 * the principal older than the newer half of them end: the record stays bounded, and no ended session revives.
 */
export const MAX_REMEMBERED_SESSIONS = 10_000;

/**
 * How long a log in a directory named by a client belongs to the principal that used it last. Longer than results are
 * kept there: while a result can be read, no other principal may write under its id.
 */
export const PROMPT_LOG_CLAIM_MS = 8 * 24 * 3_600_000;

/**
 * The longest message that a host accepts from a server: a line on stdio, an event or a body over HTTP. More than the
 * largest result of a Holdfast server (10 MiB) with its envelope. In memory the worst message becomes twenty times
 * that.
 */
export const HOST_MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Members of a server's message that are validated one by one: its own, those of its `params`, `result` or `_meta`, and
 * all of a question. Each costs some 5 µs, so this many block the event loop for a tenth of a second.
 */
export const HOST_MAX_MEMBERS = 20_000;

/** How many times the maximum message size is skipped in search of the end of an oversized message. */
export const HOST_SKIPPED_TIMES = 16;

/** Bytes read of a refusal that a server sends instead of an answer (an HTTP status, a page): enough for a reason. */
export const HOST_MAX_REFUSAL_BYTES = 64 * 1024;

/** Characters of that reason that become part of an outcome: it is for people. */
export const HOST_MAX_REFUSAL_CHARS = 2000;

/** Answers to a server that are in flight. A server that asks without reading gets no more answers. */
export const HOST_MAX_OPEN_ANSWERS = 100;

/** Questions of one connection or one call that are open for people at a time: nobody can answer more. */
export const HOST_MAX_OPEN_QUESTIONS = 100;

/**
 * Questions of one call in total, whose answers are kept. A program may answer thousands; a server that asks without
 * end is broken.
 */
export const HOST_MAX_QUESTIONS = 10_000;

/** Characters of updates kept per call for late readers; the number of updates has a limit too. */
export const HOST_MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** Characters of notifications buffered until the job of the call is known: room for one result. */
export const HOST_MAX_EARLY_CHARS = 2 ** 24;

/** Characters of a run's final text, over all pieces it arrives in. */
export const HOST_MAX_RUN_CHARS = 2 ** 24;

/** Tools that a server may list, over all pages: a model can be shown a few hundred. */
export const HOST_MAX_TOOLS = 10_000;

/** Bounds of the reconnect delay that a server may set for a broken stream: never a tight loop, and within the hour. */
export const HOST_MIN_RECONNECT_MS = 100;
export const HOST_MAX_RECONNECT_MS = 3_600_000;

/** Bytes of a file that configures how servers are started: enough for thousands of servers, and read at once. */
export const HOST_MAX_CONFIG_BYTES = 1024 * 1024;

/** How deep values are searched for secrets. The search recurses on the stack; everything nested deeper counts as secret. */
export const MAX_SECRET_DEPTH = 100;

/**
 * With more redacted values than this, texts of a tool are masked as a whole: each text is searched for each value, so
 * a caller with very many values would decide how slow that is.
 */
export const MAX_SCRUBBED_VALUES = 64;

/** The longest task id that a host may make. It is stored with the task and in every log entry that names it. */
export const MAX_TASK_ID_LENGTH = 512;

/**
 * How often a task may be running in a worker that is lost together with other tasks, without being charged for it.
 * Enough for a bad day of kills from outside; and it stops a task that is lost every time.
 */
export const MAX_SHARED_LOSSES = 10;

/**
 * How long a keeper with open calls waits for a host that never returns: longer than a night, but a process must end
 * some time.
 */
export const KEEPER_HOST_WAIT_MS = 86_400_000;

/** How long a keeper retries writing an answer: long enough to free a full disk; what still fails then fails for good. */
export const KEEPER_WRITE_RETRY_MS = 3_600_000;
