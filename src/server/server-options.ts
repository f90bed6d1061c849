import type { ResultOptions } from '../dialects/tasks-2025/result-mode.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { TaskError } from '../errors.ts';
import { type HttpOptions, type HttpSettings, parseHttpOptions } from './http-options.ts';
import type { Verify } from './principal.ts';

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
  readonly secret: string | undefined;
  readonly verify: Verify | undefined;
  readonly http: HttpSettings;
}

export function parseServerOptions(options: ServerOptions): ServerSettings {
  for (const field of ['name', 'version'] as const) {
    if (typeof options?.[field] !== 'string' || options[field] === '') {
      throw new TaskError(
        'INVALID_ARGUMENT',
        `${field} is ${JSON.stringify(options?.[field])}; legal is a non-empty text`,
      );
    }
  }
  const { name, version, title, instructions, secret } = options;
  const { inlineMs = 1000, unattendedMs = 120_000, unansweredMs = 3_600_000 } = options;
  for (const [field, value] of Object.entries({ inlineMs, unattendedMs, unansweredMs })) {
    if (!Number.isInteger(value) || value < 0) {
      throw new TaskError('INVALID_ARGUMENT', `${field} is ${String(value)}; legal is a whole number from 0 up`);
    }
  }
  const { verify } = options;
  if (verify !== undefined && typeof verify !== 'function') {
    throw new TaskError('INVALID_ARGUMENT', `verify is ${JSON.stringify(verify)}; legal is a function`);
  }
  const http = parseHttpOptions(options.http);
  return { name, version, title, instructions, inlineMs, unattendedMs, unansweredMs, secret, verify, http };
}
