import { resolve } from 'node:path';
import { z } from 'zod';
import type { Dialect } from '../dialects/dialect.ts';
import {
  COMPANION_PREFIX_EXPECTED,
  type CompanionPrefix,
  isCompanionPrefix,
  type ResultOptions,
  toCompanionPrefix,
} from '../dialects/options.ts';
import { type AsyncToolConfig, parseAsyncTool } from '../dialects/shared/async-task.ts';
import { APPS, DIALECTS } from '../dialects/table.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { type LimitSettings, limitsSchema, toLimitSettings } from '../engine/limit-options.ts';
import { isObject } from '../is-object.ts';
import { DEFAULT_JOIN_MS } from '../limits.ts';
import {
  callback,
  flag,
  hidden,
  isFunction,
  isText,
  objectWith,
  onlyFields,
  text,
  value,
  whole,
} from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';
import { type Profiles, parseProfiles } from './clients/profiles.ts';
import {
  DEFAULT_FRAME_LIMITS,
  type FrameLimits,
  type MessageLimits,
  messageLimitsSchema,
} from './frames/frame-shape.ts';
import { type HttpOptions, type HttpSettings, parseHttpOptions } from './http-options.ts';
import type { Verify } from './principal.ts';
import type { Relay } from './relay.ts';
import type { AsyncToolOptions } from './tools/server-tool.ts';

/** How a server is made. What is said of the engine is as in `EngineOptions`. */
export interface ServerOptions extends Omit<EngineOptions, 'name' | 'tools'> {
  /** What the server calls itself; also part of its identity and of its store's directory. */
  readonly name: string;
  /** The version that clients are told. */
  readonly version: string;
  /** The server's name for people. */
  readonly title?: string;
  /** What clients are told the server is, in place of `name`, `version` and `title`; for one that stands before another. */
  readonly serverInfo?: Implementation;
  /** Told to clients, for the model. */
  readonly instructions?: string;
  /** What the server declares beside what it does itself: for what `relay` and `mcp` answer. */
  readonly capabilities?: { readonly [name: string]: object };
  /** Answers what the server itself does not. @default nobody: such requests are refused */
  readonly relay?: Relay;
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
  /**
   * Whether clients that show views of MCP Apps get one beside each call that may be a task: how far it is, what it asks, and
   * its result, live, also after the call was handed over. Other clients see no difference.
   *
   * @default false
   */
  readonly ui?: boolean;
  /** Dialects of your own; asked before those that are built in. @default none */
  readonly dialects?: readonly Dialect[];
}

/** What a server is, as MCP lets it say that. */
export interface Implementation {
  /** What it calls itself. */
  readonly name: string;
  readonly version: string;
  /** Everything else that MCP lets a server say of itself: title, icons, websiteUrl. */
  readonly [field: string]: unknown;
}

/** Options with every default filled in. */
export interface ServerSettings {
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: { readonly [name: string]: object } | undefined;
  readonly relay: Relay | undefined;
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

// A text that can be guessed lets anybody make up session ids of others.
const MIN_SECRET = 16;

/** What the engine is given of the options of a server, and checks when it is opened. */
const ENGINE_FIELDS: Readonly<Record<EngineField, true>> = {
  name: true,
  store: true,
  codec: true,
  workers: true,
  concurrency: true,
  queueLimit: true,
  leaseMs: true,
  maxBlockMs: true,
  parkMs: true,
  limits: true,
  audit: true,
  idleMs: true,
  outbox: true,
  onError: true,
  onWorkers: true,
  clock: true,
  identity: true,
  adopt: true,
  build: true,
  workerEntry: true,
  shutdownGraceMs: true,
  abortGraceMs: true,
  startMs: true,
  superviseMs: true,
  sweepMs: true,
  tombstoneMs: true,
  outboxVisibilityMs: true,
};

type EngineField = keyof EngineOptions & keyof ServerOptions;

/** The options of a server that are for its engine. */
export function toEngineOptions(options: ServerOptions): Pick<ServerOptions, EngineField> {
  const given = Object.entries(options).filter(([field]) => Object.hasOwn(ENGINE_FIELDS, field));
  return Object.fromEntries(given) as Pick<ServerOptions, EngineField>;
}

function engineShape() {
  const fields = Object.keys(ENGINE_FIELDS).map((field) => [field, z.unknown().optional()]);
  return Object.fromEntries(fields) as Record<Exclude<EngineField, 'name' | 'limits'>, z.ZodType<never>>;
}

const parseFields = optionsParser(() =>
  onlyFields({
    ...engineShape(),
    name: text(),
    version: text(),
    title: z.string('a text').optional(),
    serverInfo: value<Implementation>('an object with name and version', isImplementation).optional(),
    instructions: z.string('a text').optional(),
    capabilities: value<{ readonly [name: string]: object }>('an object of objects', areCapabilities).optional(),
    relay: objectWith<Relay>('a relay', 'request').optional(),
    inlineMs: whole(0).default(1000),
    unattendedMs: whole(0).default(120_000),
    joinMs: whole(0).default(DEFAULT_JOIN_MS),
    unansweredMs: whole(0).default(3_600_000),
    marginMs: whole(0).default(10_000),
    progressEveryMs: whole(1).default(10_000),
    jobs: z.enum(['asked', 'always'], "'asked' or 'always'").default('asked'),
    bareJobs: flag().default(false),
    errorDetails: flag().optional(),
    ackText: text().optional(),
    requireTaskId: flag().default(false),
    promptRoots: value<readonly string[]>('a list of paths', areTexts).optional(),
    warmWorker: flag().default(true),
    companionPrefix: value<boolean | string>(COMPANION_PREFIX_EXPECTED, isCompanionPrefix).optional(),
    secret: hidden<string>(`a text of ${MIN_SECRET} or more characters`, isSecret, 'is not usable').optional(),
    verify: callback<Verify>().optional(),
    unprotected: flag().default(false),
    messageLimits: messageLimitsSchema().default(DEFAULT_FRAME_LIMITS),
    limits: limitsSchema().optional(),
    ui: flag().default(false),
    dialects: dialectsSchema().default([]),
    // These have parsers of their own, which are used for more than the options of a server.
    asyncTask: z.custom<boolean | AsyncToolOptions>().optional(),
    http: z.custom<HttpOptions>().optional(),
    profiles: z.custom<Profiles>().optional(),
    taskResult: z.custom<ResultOptions>().optional(),
  } satisfies OptionsShape<ServerOptions>).refine(({ verify, unprotected }) => !(verify && unprotected), {
    path: ['unprotected'],
    error: 'false where there is a verify function',
  }),
);

export function parseServerOptions(options: ServerOptions): ServerSettings {
  const { limits: given, taskResult: _, ...fields } = parseFields(options ?? {});
  const { name, title, serverInfo, instructions, capabilities, errorDetails, ackText, secret, verify } = fields;
  const limits = toLimitSettings(given);
  return {
    ...fields,
    ...{ title, serverInfo, instructions, capabilities, errorDetails, ackText, secret, verify },
    // As it was given: its functions may be methods of it.
    relay: options.relay,
    promptRoots: fields.promptRoots?.map((root) => resolve(root)),
    asyncTask: parseAsyncTool(fields.asyncTask),
    profiles: parseProfiles(fields.profiles ?? {}, 'profiles'),
    companionPrefix: toCompanionPrefix(fields.companionPrefix, name),
    http: parseHttpOptions(fields.http, { hasPrincipals: verify !== undefined, limits }),
    limits,
    // As they were given: what a schema gives back has lost its prototype.
    dialects: [...(options.dialects ?? []), ...(fields.ui ? [APPS] : []), ...DIALECTS],
  };
}

function dialectsSchema() {
  const half = () => value<never>('a function that loads it', isFunction).optional();
  const name = 'a text that no other dialect has as its name';
  const dialect = z.looseObject({ name: value<string>(name, isText), server: half(), outbox: half() }, 'a dialect');
  return z.array(dialect, 'a list of dialects').superRefine((own, context) => {
    const names = [...own, APPS, ...DIALECTS].map((one) => one.name);
    for (const [index, one] of own.entries()) {
      const isTaken = names.indexOf(one.name) !== names.lastIndexOf(one.name);
      if (isTaken) context.addIssue({ code: 'custom', path: [index, 'name'], message: name });
    }
  });
}

function isImplementation(info: unknown): boolean {
  return isObject(info) && isText(info.name) && typeof info.version === 'string';
}

function areCapabilities(capabilities: unknown): boolean {
  return isObject(capabilities) && Object.values(capabilities).every(isObject);
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every(isText);
}

function isSecret(secret: unknown): boolean {
  return typeof secret === 'string' && secret.length >= MIN_SECRET;
}
