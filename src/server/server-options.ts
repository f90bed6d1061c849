import { resolve } from 'node:path';
import type { Dialect } from '../dialects/dialect.ts';
import { type CompanionPrefix, parseCompanionPrefix, type ResultOptions } from '../dialects/options.ts';
import { type AsyncToolConfig, parseAsyncTool } from '../dialects/shared/async-task.ts';
import { DIALECTS } from '../dialects/table.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { type LimitSettings, parseLimits } from '../engine/limit-options.ts';
import { TaskError } from '../errors.ts';
import { invalidField } from '../invalid-field.ts';
import { DEFAULT_JOIN_MS } from '../limits.ts';
import { type Profiles, parseProfiles } from './clients/profiles.ts';
import { type FrameLimits, type MessageLimits, parseMessageLimits } from './frames/frame-shape.ts';
import { type HttpOptions, type HttpSettings, parseHttpOptions } from './http-options.ts';
import type { Verify } from './principal.ts';
import type { AsyncToolOptions } from './tools/server-tool.ts';

/** How a server is made. What is said of the engine is as in `EngineOptions`. */
export interface ServerOptions
  extends Pick<
    EngineOptions,
    | 'store'
    | 'codec'
    | 'workers'
    | 'concurrency'
    | 'queueLimit'
    | 'leaseMs'
    | 'maxBlockMs'
    | 'parkMs'
    | 'limits'
    | 'audit'
    | 'idleMs'
    | 'outbox'
    | 'onError'
    | 'onWorkers'
    | 'clock'
    | 'identity'
    | 'adopt'
    | 'build'
  > {
  /** What the server calls itself; also part of its identity and of its store's directory. */
  readonly name: string;
  /** The version that clients are told. */
  readonly version: string;
  /** The server's name for people. */
  readonly title?: string;
  /** Told to clients, for the model. */
  readonly instructions?: string;
  /** How long an `auto` call is waited for before a client that understands tasks gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /** How long a held call goes on when its client went away. @default 120_000 */
  readonly unattendedMs?: number;
  /**
   * For how long the same call gets the stored result of one whose response was lost, instead of running again; 0 is not
   * at all. @default 30_000
   */
  readonly joinMs?: number;
  /** How long a held call of the modern era waits for its client to come back with answers. @default 3_600_000 */
  readonly unansweredMs?: number;
  /** How `tasks/result` of 2025-11-25 treats a task that has not ended; also from the environment. */
  readonly taskResult?: ResultOptions;
  /**
   * Whether plain calls are answered as two-stage jobs. A call that asks for it, or a client whose profile says so,
   * always gets one; a client that declares tasks gets a task.
   *
   * @default 'asked'
   */
  readonly jobs?: 'asked' | 'always';
  /**
   * Whether a job is answered with the bare object instead of a tool result that contains it. Where plain calls are jobs,
   * tools that answer at once do the same. @default false
   */
  readonly bareJobs?: boolean;
  /** Whether the result of a failed job tells where in the code it failed. @default true on stdio, false on HTTP */
  readonly errorDetails?: boolean;
  /** What a call that is answered through the log of prompts is acknowledged with. @default `{ status, taskId }` as JSON */
  readonly ackText?: string;
  /**
   * Whether a tool with `asyncTask` takes only calls with a task id in `_meta`, also when it says `optional`.
   *
   * @default false
   */
  readonly requireTaskId?: boolean;
  /**
   * `asyncTask` of every tool that says nothing of its own, or of those in its `tools`. What a call says never switches
   * it on: it would choose where this process writes.
   *
   * @default false
   */
  readonly asyncTask?: boolean | AsyncToolOptions;
  /**
   * Where clients may place that log and its task store: a call that names another directory is refused, because a
   * client could make this process write anywhere.
   *
   * @default on stdio the user's home directory and what the host that started the server names; on HTTP nowhere
   */
  readonly promptRoots?: readonly string[];
  /**
   * Whether the detached worker is started when a client on stdio has listed the tools, ahead of its first call. It ends
   * when it has been idle for `idleMs`, and is not started ahead of a call again.
   *
   * @default true; without effect where tasks run inline
   */
  readonly warmWorker?: boolean;
  /** What is known of clients, by their names; comes before the configuration file and the built-in table. */
  readonly profiles?: Profiles;
  /**
   * What stands before the names of the tools to wait with (`reports_task_wait`), which else are equal on every server:
   * the server's name (`true`), nothing (`false`) or a text of your own, for every client.
   *
   * @default the server's name, for clients that are not known to tell the tools of servers apart themselves
   */
  readonly companionPrefix?: boolean | string;
  /** How long before a client gives up it is answered. @default 10_000 */
  readonly marginMs?: number;
  /** How often a held call shows progress to a client that asked for it. @default 10_000 */
  readonly progressEveryMs?: number;
  /** Signs what clients carry for the server; 16 characters or more. @default a key in the store's directory */
  readonly secret?: string;
  /**
   * Says who sends an HTTP request, before its body is read; those it does not know get 401. Without it there is one
   * principal, the owner, and only this machine can be served.
   */
  readonly verify?: Verify;
  /** How much one message of a client may hold, on stdio and HTTP. */
  readonly messageLimits?: MessageLimits;
  /**
   * Lets everybody who reaches `fetch` or the port of `listen` in as the owner: every user of this machine, and every
   * program and page that can send requests to it. For servers behind something that lets nobody else through.
   *
   * @default false
   */
  readonly unprotected?: boolean;
  /** Limits and pace of HTTP. */
  readonly http?: HttpOptions;
  /** Dialects of your own; asked before those that are built in. @default none */
  readonly dialects?: readonly Dialect[];
}

/** Options with every default filled in. */
export interface ServerSettings {
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
  readonly instructions: string | undefined;
  readonly inlineMs: number;
  readonly unattendedMs: number;
  readonly joinMs: number;
  readonly unansweredMs: number;
  readonly jobs: 'asked' | 'always';
  readonly bareJobs: boolean;
  readonly errorDetails: boolean | undefined;
  readonly ackText: string | undefined;
  readonly promptRoots: readonly string[] | undefined;
  readonly asyncTask: AsyncToolConfig | undefined;
  readonly requireTaskId: boolean;
  readonly warmWorker: boolean;
  readonly profiles: Profiles;
  readonly companionPrefix: CompanionPrefix;
  readonly marginMs: number;
  readonly progressEveryMs: number;
  readonly secret: string | undefined;
  readonly verify: Verify | undefined;
  readonly messageLimits: FrameLimits;
  readonly unprotected: boolean;
  readonly http: HttpSettings;
  /** In the order in which they are asked. */
  readonly dialects: readonly Dialect[];
  readonly limits: LimitSettings;
}

export function parseServerOptions(options: ServerOptions): ServerSettings {
  for (const field of ['name', 'version'] as const) {
    if (typeof options?.[field] !== 'string' || options[field] === '') {
      throw invalidField(field, options?.[field], 'a non-empty text');
    }
  }
  const { name, version, title, instructions } = options;
  const limits = parseLimits(options.limits);
  return {
    name,
    version,
    title,
    instructions,
    secret: parseSecret(options.secret),
    warmWorker: parseWarmWorker(options.warmWorker),
    ...parseTimes(options),
    ...parseJobOptions(options),
    ...parsePromptOptions(options),
    profiles: parseProfiles(options.profiles ?? {}, 'profiles'),
    companionPrefix: parseCompanionPrefix(options.companionPrefix, name),
    messageLimits: parseMessageLimits(options.messageLimits),
    ...parseProtection(options),
    http: parseHttpOptions(options.http, { hasPrincipals: options.verify !== undefined, limits }),
    limits,
    dialects: parseDialects(options.dialects),
  };
}

function parseDialects(own: unknown = []): readonly Dialect[] {
  if (!Array.isArray(own)) throw invalidField('dialects', own, 'a list of dialects');
  const dialects: readonly Dialect[] = [...own, ...DIALECTS];
  for (const [index, dialect] of own.entries()) {
    const name: unknown = dialect?.name;
    const isTaken = dialects.filter((other) => other?.name === name).length > 1;
    if (typeof name !== 'string' || name === '' || isTaken) {
      throw invalidField(`dialects[${index}].name`, name, 'a text that no other dialect has as its name');
    }
    for (const half of ['server', 'outbox'] as const) {
      const isUsable = dialect[half] === undefined || typeof dialect[half] === 'function';
      if (!isUsable) throw invalidField(`dialects[${index}].${half}`, dialect[half], 'a function that loads it');
    }
  }
  return dialects;
}

function parseTimes(options: ServerOptions) {
  const { inlineMs = 1000, unattendedMs = 120_000, unansweredMs = 3_600_000 } = options;
  const { marginMs = 10_000, progressEveryMs = 10_000, joinMs = DEFAULT_JOIN_MS } = options;
  const times = { inlineMs, unattendedMs, unansweredMs, marginMs, progressEveryMs, joinMs };
  for (const [field, value] of Object.entries(times)) {
    if (!Number.isInteger(value) || value < 0) throw invalidField(field, value, 'a whole number from 0 up');
  }
  if (progressEveryMs === 0) throw invalidField('progressEveryMs', progressEveryMs, 'a whole number from 1 up');
  return times;
}

function parseJobOptions({ jobs = 'asked', bareJobs = false, errorDetails }: ServerOptions) {
  if (jobs !== 'asked' && jobs !== 'always') throw invalidField('jobs', jobs, "'asked' or 'always'");
  for (const [field, value] of Object.entries({ bareJobs, errorDetails })) {
    if (value !== undefined && typeof value !== 'boolean') throw invalidField(field, value, 'true or false');
  }
  return { jobs, bareJobs, errorDetails };
}

function parsePromptOptions({ ackText, promptRoots, requireTaskId = false, asyncTask }: ServerOptions) {
  if (ackText !== undefined && (typeof ackText !== 'string' || ackText === '')) {
    throw invalidField('ackText', ackText, 'a non-empty text');
  }
  const areTexts = Array.isArray(promptRoots) && promptRoots.every((root) => typeof root === 'string' && root !== '');
  if (promptRoots !== undefined && !areTexts) throw invalidField('promptRoots', promptRoots, 'a list of paths');
  if (typeof requireTaskId !== 'boolean') throw invalidField('requireTaskId', requireTaskId, 'true or false');
  const roots = promptRoots?.map((root) => resolve(root));
  return { ackText, promptRoots: roots, requireTaskId, asyncTask: parseAsyncTool(asyncTask) };
}

function parseWarmWorker(warmWorker: unknown = true): boolean {
  if (typeof warmWorker !== 'boolean') throw invalidField('warmWorker', warmWorker, 'true or false');
  return warmWorker;
}

function parseProtection({ verify, unprotected = false }: ServerOptions) {
  if (verify !== undefined && typeof verify !== 'function') throw invalidField('verify', verify, 'a function');
  if (typeof unprotected !== 'boolean') throw invalidField('unprotected', unprotected, 'true or false');
  if (verify && unprotected) throw invalidField('unprotected', unprotected, 'false where there is a verify function');
  return { verify, unprotected };
}

// A text that can be guessed lets anybody make up session ids of others.
const MIN_SECRET = 16;

/** The message must not repeat it: it would end up in a log. */
function parseSecret(secret: unknown): string | undefined {
  if (secret === undefined || (typeof secret === 'string' && secret.length >= MIN_SECRET)) return secret;
  const expected = `a text of ${MIN_SECRET} or more characters`;
  throw new TaskError('INVALID_ARGUMENT', `secret is not usable; expected ${expected}`);
}
