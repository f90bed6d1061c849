import type { ResultOptions } from '../dialects/tasks-2025/result-mode.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { TaskError } from '../errors.ts';
import { type HttpOptions, type HttpSettings, parseHttpOptions } from './http-options.ts';
import type { Verify } from './principal.ts';
import { type Profiles, parseProfiles } from './profiles.ts';

export interface ServerOptions
  extends Pick<
    EngineOptions,
    | 'store'
    | 'workers'
    | 'concurrency'
    | 'queueLimit'
    | 'leaseMs'
    | 'maxBlockMs'
    | 'parkMs'
    | 'idleMs'
    | 'outbox'
    | 'onError'
    | 'clock'
    | 'identity'
    | 'build'
  > {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** Told to clients, for the model. */
  readonly instructions?: string;
  /** How long an `auto` call is waited for before a client that understands tasks gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /** How long a held call goes on when its client went away. @default 120_000 */
  readonly unattendedMs?: number;
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
  /** Whether a job is answered with the bare object instead of a tool result that contains it. @default false */
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
  /** Where clients may place that log and its task store. @default the user's home directory */
  readonly promptRoots?: readonly string[];
  /** What is known of clients, by their names; comes before the configuration file and the built-in table. */
  readonly profiles?: Profiles;
  /** How long before a client gives up it is answered. @default 10_000 */
  readonly marginMs?: number;
  /** How often a held call shows progress to a client that asked for it. @default 10_000 */
  readonly heartbeatMs?: number;
  /** Signs what clients carry for the server. @default a key in the store's directory */
  readonly secret?: string;
  /**
   * Says who sends an HTTP request; those it does not know get 401. Without it everybody who reaches the server is the
   * same principal, so it listens on this machine only.
   */
  readonly verify?: Verify;
  /** Limits and pace of HTTP. */
  readonly http?: HttpOptions;
}

export interface ServerSettings {
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
  readonly instructions: string | undefined;
  readonly inlineMs: number;
  readonly unattendedMs: number;
  readonly unansweredMs: number;
  readonly jobs: 'asked' | 'always';
  readonly bareJobs: boolean;
  readonly errorDetails: boolean | undefined;
  readonly ackText: string | undefined;
  readonly promptRoots: readonly string[] | undefined;
  readonly requireTaskId: boolean;
  readonly profiles: Profiles;
  readonly marginMs: number;
  readonly heartbeatMs: number;
  readonly secret: string | undefined;
  readonly verify: Verify | undefined;
  readonly http: HttpSettings;
}

export function parseServerOptions(options: ServerOptions): ServerSettings {
  for (const field of ['name', 'version'] as const) {
    if (typeof options?.[field] !== 'string' || options[field] === '') {
      throw invalid(field, options?.[field], 'a non-empty text');
    }
  }
  const { name, version, title, instructions, secret } = options;
  return {
    name,
    version,
    title,
    instructions,
    secret,
    ...parseTimes(options),
    ...parseJobOptions(options),
    ...parsePromptOptions(options),
    profiles: parseProfiles(options.profiles ?? {}, 'profiles'),
    verify: parseVerify(options.verify),
    http: parseHttpOptions(options.http),
  };
}

function parseTimes(options: ServerOptions) {
  const { inlineMs = 1000, unattendedMs = 120_000, unansweredMs = 3_600_000 } = options;
  const { marginMs = 10_000, heartbeatMs = 10_000 } = options;
  const times = { inlineMs, unattendedMs, unansweredMs, marginMs, heartbeatMs };
  for (const [field, value] of Object.entries(times)) {
    if (!Number.isInteger(value) || value < 0) throw invalid(field, value, 'a whole number from 0 up');
  }
  if (heartbeatMs === 0) throw invalid('heartbeatMs', heartbeatMs, 'a whole number from 1 up');
  return times;
}

function parseJobOptions({ jobs = 'asked', bareJobs = false, errorDetails }: ServerOptions) {
  if (jobs !== 'asked' && jobs !== 'always') throw invalid('jobs', jobs, "'asked' or 'always'");
  for (const [field, value] of Object.entries({ bareJobs, errorDetails })) {
    if (value !== undefined && typeof value !== 'boolean') throw invalid(field, value, 'true or false');
  }
  return { jobs, bareJobs, errorDetails };
}

function parsePromptOptions({ ackText, promptRoots, requireTaskId = false }: ServerOptions) {
  if (ackText !== undefined && (typeof ackText !== 'string' || ackText === '')) {
    throw invalid('ackText', ackText, 'a non-empty text');
  }
  const areTexts = Array.isArray(promptRoots) && promptRoots.every((root) => typeof root === 'string' && root !== '');
  if (promptRoots !== undefined && !areTexts) throw invalid('promptRoots', promptRoots, 'a list of paths');
  if (typeof requireTaskId !== 'boolean') throw invalid('requireTaskId', requireTaskId, 'true or false');
  return { ackText, promptRoots, requireTaskId };
}

function parseVerify(verify: Verify | undefined): Verify | undefined {
  if (verify === undefined || typeof verify === 'function') return verify;
  throw invalid('verify', verify, 'a function');
}

function invalid(field: string, value: unknown, legal: string): TaskError {
  return new TaskError('INVALID_ARGUMENT', `${field} is ${JSON.stringify(value)}; legal is ${legal}`);
}
