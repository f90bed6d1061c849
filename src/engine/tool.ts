import { TaskError } from '../errors.ts';
import type { Json } from '../task/json.ts';
import { DEFAULT_RETRY } from '../task/retry.ts';
import { DEFAULT_TTL_MS, parseTtl } from '../task/ttl.ts';
import type { TaskContext } from './context.ts';
import { toKeepable } from './keepable.ts';
import { toValueText } from './value-text.ts';

/** A piece of work that can be run as a durable task. */
export interface Tool<Args = Json> {
  run(args: Args, task: TaskContext): unknown;
  /**
   * Whether the work may be run again from the top when its worker was lost. Only say so when a second run does no
   * harm: without it such a task ends as `interrupted`.
   *
   * @default false
   */
  readonly idempotent?: boolean;
  /** How often and when an idempotent tool is run again. */
  readonly retry?: RetryOptions;
  /** How long it takes: a fixed time, or a function of the arguments. Without it the engine learns from past runs. */
  readonly estimateMs?: number | ((args: Args) => number | undefined);
  /** How many attempts of this tool one worker runs at once. @default the engine's limit */
  readonly concurrency?: number;
  /** The longest an attempt may run, without the time it waits for answers. @default 86_400_000 */
  readonly maxRunMs?: number;
  /** Ends an attempt that gave no sign of life (progress, log, step, output) for this long. @default no limit */
  readonly stallMs?: number;
  /** Runs every attempt in a process of its own, for tools that block the thread or may crash. @default false */
  readonly isolate?: boolean;
  /** How long a finished task can still be read. @default 3_600_000 */
  readonly ttlMs?: number | null;
  /** How often a client is asked to poll. @default 1000 */
  readonly pollIntervalMs?: number;
  /** The largest result that is kept, as JSON. @default 10_485_760 */
  readonly maxResultBytes?: number;
}

export interface RetryOptions {
  /** Attempts in all. @default 3 */
  readonly maxAttempts?: number;
  /** @default 1000 */
  readonly firstDelayMs?: number;
  /** @default 60_000 */
  readonly longestDelayMs?: number;
  /**
   * Which thrown errors are worth another attempt. A lost worker always is.
   *
   * @default errors that carry `retryable: true`
   */
  readonly when?: (error: unknown) => boolean;
}

/** A tool with every default filled in. */
export interface ParsedTool {
  readonly name: string;
  readonly run: (args: never, task: TaskContext) => unknown;
  readonly idempotent: boolean;
  readonly retry: Required<RetryOptions>;
  readonly estimateMs: number | ((args: never) => number | undefined) | undefined;
  readonly concurrency: number;
  readonly maxRunMs: number;
  readonly stallMs: number | undefined;
  readonly isolate: boolean;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly maxResultBytes: number;
}

const DAY_MS = 86_400_000;

/** Checks a tool's options and fills in the defaults. */
export function parseTool(name: string, tool: Tool<never>): ParsedTool {
  if (typeof tool?.run !== 'function') throw invalid(name, { field: 'run', value: tool?.run, legal: 'a function' });
  checkKinds(name, tool);
  if (tool.retry !== undefined && tool.idempotent !== true) {
    throw invalid(name, { field: 'retry', value: tool.retry, legal: 'only together with idempotent: true' });
  }
  const number = (field: string, value: number | undefined, fallback: number) => {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && value > 0 && (Number.isInteger(value) || value === Infinity))
      return toKeepable(value);
    throw invalid(name, { field, value, legal: 'a whole number above 0' });
  };
  return {
    name,
    run: (args, task) => tool.run(args, task),
    idempotent: tool.idempotent ?? false,
    retry: {
      maxAttempts: tool.idempotent
        ? number('retry.maxAttempts', tool.retry?.maxAttempts, DEFAULT_RETRY.maxAttempts)
        : 1,
      firstDelayMs: number('retry.firstDelayMs', tool.retry?.firstDelayMs, DEFAULT_RETRY.firstDelayMs),
      longestDelayMs: number('retry.longestDelayMs', tool.retry?.longestDelayMs, DEFAULT_RETRY.longestDelayMs),
      when: tool.retry?.when ?? isRetryable,
    },
    estimateMs: tool.estimateMs,
    concurrency: number('concurrency', tool.concurrency, Infinity),
    maxRunMs: number('maxRunMs', tool.maxRunMs, DAY_MS),
    stallMs: tool.stallMs === undefined ? undefined : number('stallMs', tool.stallMs, DAY_MS),
    isolate: tool.isolate ?? false,
    ttlMs: tool.ttlMs === undefined ? DEFAULT_TTL_MS : parseTtl(tool.ttlMs),
    pollIntervalMs: number('pollIntervalMs', tool.pollIntervalMs, 1000),
    maxResultBytes: number('maxResultBytes', tool.maxResultBytes, 10_485_760),
  };
}

// A text such as 'false' would count as true, and repeat work that must not be repeated.
function checkKinds(name: string, tool: Tool<never>): void {
  const kinds: readonly (readonly [field: string, value: unknown, ...kinds: string[]])[] = [
    ['idempotent', tool.idempotent, 'boolean'],
    ['isolate', tool.isolate, 'boolean'],
    ['estimateMs', tool.estimateMs, 'number', 'function'],
    ['retry', tool.retry, 'object'],
    ['retry.when', tool.retry?.when, 'function'],
  ];
  for (const [field, value, ...legal] of kinds) {
    if (value === undefined || legal.includes(typeof value)) continue;
    throw invalid(name, { field, value, legal: `a value of type ${legal.join(' or ')}` });
  }
}

function isRetryable(error: unknown): boolean {
  if (error instanceof TaskError) return error.traits.retryable;
  return error !== null && typeof error === 'object' && 'retryable' in error && error.retryable === true;
}

type Complaint = { readonly field: string; readonly value: unknown; readonly legal: string };

function invalid(tool: string, { field, value, legal }: Complaint): TaskError {
  return new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} is ${toValueText(value)}; legal is ${legal}`);
}
