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

/** Options of a server. The engine's options are as in `EngineOptions`. */
export interface ServerOptions extends Omit<EngineOptions, 'name' | 'tools'> {
  /** The server's name; also part of its identity and of its store's directory. */
  readonly name: string;
  /** The version that clients see. */
  readonly version: string;
  /** The display name. */
  readonly title?: string;
  /** What clients see instead of `name`, `version` and `title`; for a server in front of another. */
  readonly serverInfo?: Implementation;
  /** Instructions for the model, sent to clients. */
  readonly instructions?: string;
  /** Capabilities to declare beside the server's own: for what `relay` and `mcp` answer. */
  readonly capabilities?: { readonly [name: string]: object };
  /** Answers requests that the server itself does not. @default nobody: such requests are refused */
  readonly relay?: Relay;
  /** How long an `auto` call may run before a client that understands tasks gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /** How long a held call goes on after its client disconnected. @default 120_000 */
  readonly unattendedMs?: number;
  /**
   * For how long a repeated call gets the stored result of one whose response was lost, instead of running again; 0
   * disables it. @default 30_000
   */
  readonly joinMs?: number;
  /** How long a held call of the modern era waits for its client to return with answers. @default 3_600_000 */
  readonly unansweredMs?: number;
  /** How `tasks/result` of 2025-11-25 treats an unfinished task; can also be set by environment variables. */
  readonly taskResult?: ResultOptions;
  /**
   * Whether plain calls are answered as two-stage jobs. A call that asks for a job, or a client whose profile does,
   * always gets one; a client that declares tasks gets a task.
   *
   * @default 'asked'
   */
  readonly jobs?: 'asked' | 'always';
  /**
   * Whether a job is answered with the bare object instead of a tool result that contains it. Where plain calls are
   * jobs, so are immediate results of tools. @default false
   */
  readonly bareJobs?: boolean;
  /** Whether the result of a failed job contains the stack trace. @default true on stdio, false on HTTP */
  readonly errorDetails?: boolean;
  /** The acknowledgement of a call that is answered through the prompt log. @default `{ status, taskId }` as JSON */
  readonly ackText?: string;
  /**
   * Whether a tool with `asyncTask` accepts only calls with a task id in `_meta`, even if it says `optional`.
   *
   * @default false
   */
  readonly requireTaskId?: boolean;
  /**
   * The `asyncTask` of every tool without one of its own, or of those in its `tools`. A call can never switch it on: it
   * would choose where this process writes.
   *
   * @default false
   */
  readonly asyncTask?: boolean | AsyncToolOptions;
  /**
   * The directories in which clients may place that log and its task store. A call that names another directory is
   * refused, because a client could make this process write anywhere.
   *
   * @default on stdio the user's home directory and what the host that started the server names; on HTTP nowhere
   */
  readonly promptRoots?: readonly string[];
  /**
   * Whether to start the detached worker when a client on stdio lists the tools, ahead of its first call. It exits
   * after `idleMs` without work, and is not started ahead of a call again.
   *
   * @default true; without effect where tasks run inline
   */
  readonly warmWorker?: boolean;
  /** Client profiles by client name; they override the configuration file and the built-in table. */
  readonly profiles?: Profiles;
  /**
   * The prefix of the companion tools (`reports_task_wait`), whose names are otherwise equal on every server: the
   * server's name (`true`), none (`false`) or a text of your own, for every client.
   *
   * @default the server's name, for clients that are not known to tell the tools of servers apart themselves
   */
  readonly companionPrefix?: boolean | string;
  /** How long before its client's timeout a call is answered. @default 10_000 */
  readonly marginMs?: number;
  /** How often a held call sends progress to a client that asked for it. @default 10_000 */
  readonly progressEveryMs?: number;
  /** The key that signs what clients carry for the server; 16 characters or more. @default a key in the store's directory */
  readonly secret?: string;
  /**
   * Identifies the sender of an HTTP request before its body is read; unknown senders get 401. Without it there is one
   * principal, the owner, and only this machine can be served.
   */
  readonly verify?: Verify;
  /** Limits on one message of a client, on stdio and HTTP. */
  readonly messageLimits?: MessageLimits;
  /**
   * Treats everybody who reaches `fetch` or the port of `listen` as the owner: every user of this machine, and every
   * program and page that can send requests to it. For servers behind a component that lets nobody else through.
   *
   * @default false
   */
  readonly unprotected?: boolean;
  /** Limits and timing of HTTP. */
  readonly http?: HttpOptions;
  /**
   * Whether clients that show views of MCP Apps get one beside each call that may be a task: its progress, its
   * questions and its result, live, even after the call was handed over. Other clients see no difference.
   *
   * @default false
   */
  readonly ui?: boolean;
  /** Your own dialects; they take precedence over the built-in ones. @default none */
  readonly dialects?: readonly Dialect[];
}

/** A server's description of itself, as MCP defines it. */
export interface Implementation {
  /** The server's name. */
  readonly name: string;
  readonly version: string;
  /** Other MCP fields: title, icons, websiteUrl. */
  readonly [field: string]: unknown;
}

/** Server options with all defaults filled in. */
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
  /** In order of precedence. */
  readonly dialects: readonly Dialect[];
  readonly limits: LimitSettings;
}

// Anyone could forge session ids of others with a guessed secret.
const MIN_SECRET = 16;

/** The server options that are passed to the engine, which checks them when it is opened. */
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

/** Picks the options of a server that are for its engine. */
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
    // Parsed by parsers of their own, which other code uses too.
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
    // The object as given: its functions may be methods that use `this`.
    relay: options.relay,
    promptRoots: fields.promptRoots?.map((root) => resolve(root)),
    asyncTask: parseAsyncTool(fields.asyncTask),
    profiles: parseProfiles(fields.profiles ?? {}, 'profiles'),
    companionPrefix: toCompanionPrefix(fields.companionPrefix, name),
    http: parseHttpOptions(fields.http, { hasPrincipals: verify !== undefined, limits }),
    limits,
    // The objects as given: the schema's copies have lost their prototype.
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
