import { parseRedaction, type Redaction } from '../codec/redaction.ts';
import { TaskError } from '../errors.ts';
import { MAX_RESULT_BYTES } from '../limits.ts';
import type { Json } from '../task/json.ts';
import { DEFAULT_RETRY } from '../task/retry.ts';
import { DEFAULT_TTL_MS, parseTtl } from '../task/ttl.ts';
import { toValueText } from '../value-text.ts';
import type { TaskContext } from './attempts/context.ts';
import { toKeepable } from './keepable.ts';
import { parseStartWithin } from './start-within.ts';
import { type ParsedSchema, parseSchema, type ToolSchema } from './tool-schema.ts';

/** A piece of work that can be run as a durable task. */
export interface Tool<Args = Json> {
  /**
   * What the tool takes: zod, or JSON Schema of type object. Calls that do not fit are refused with `INVALID_ARGUMENT`, and
   * `run` gets what the schema makes of the arguments.
   *
   * @default anything that JSON can carry
   */
  readonly input?: ToolSchema;
  /** Does the work; what it returns, as JSON gives it back, is the result of the task. */
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
  /**
   * The queue that a call stands in, by its arguments. Calls with the same queue run one after the other, in the order
   * of submission, across processes and restarts; those of other tools of the program with that queue too. A call holds
   * its place until it has ended and its work has stopped, also while it waits for its next attempt or for an answer.
   *
   * A call whose queue is no text of 1 to 512 characters, or for which this throws, is refused (`INVALID_ARGUMENT`).
   *
   * @example ({ repository }) => repository
   */
  readonly queue?: (args: Args) => string;
  /**
   * Whether a queue is shared by all principals. Without that nobody can hold up the calls of others; share what can be
   * used by only one at a time, such as a directory.
   *
   * @default 'principal'
   */
  readonly queueScope?: 'principal' | 'program';
  /** The longest an attempt may run, without the time it waits for answers. @default 86_400_000 */
  readonly maxRunMs?: number;
  /**
   * How long a task may wait for its first attempt; then it ends as `NOT_STARTED` and nothing of it is run. Guards against
   * work that comes too late to be of use, such as behind a queue that stood still. A call may say otherwise.
   *
   * @default null, for ever
   */
  readonly startWithinMs?: number | null;
  /** Ends an attempt that gave no sign of life (progress, log, step, output) for this long. @default no limit */
  readonly stallMs?: number;
  /**
   * Whether attempts run in processes of their own, so that a tool that blocks the thread or crashes costs nobody else.
   *
   * - `true`:   every attempt.
   * - `'auto'`: those of a task whose worker was lost while it was at work, and all after the tool has blocked the thread.
   * - `false`:  none, whatever happens; for tools that need what lives in the memory of their worker.
   *
   * @default as 'auto', but with inline workers a tool that blocks is only named: it may share memory with the program
   */
  readonly isolate?: boolean | 'auto';
  /**
   * Whether a task of this tool may be run by the same program in another environment, once nobody runs the one it was
   * submitted to. Say `'any'` for work that no variable changes: no key, no address, no place.
   *
   * @default 'own'
   */
  readonly environment?: 'own' | 'any';
  /** How long a finished task can still be read. @default 3_600_000 */
  readonly ttlMs?: number | null;
  /** How often a client is asked to poll. @default by the time that is left: 1 s near the end, 15 s far from it */
  readonly pollIntervalMs?: number;
  /** The largest result that is kept, as JSON. @default 10_485_760 */
  readonly maxResultBytes?: number;
  /**
   * Arguments that nobody but the tool may see: names of fields, at any depth, and JSON pointers in which `*` stands for
   * any member. They are sealed where they are kept, shown as `******`, and their values are taken out of what the tool
   * logs, streams and throws. Results are not touched.
   *
   * @example ['apiKey', '/auth/*']
   */
  readonly redact?: readonly string[];
}

/** What a server knows of a tool beside what its author says. */
export interface ServedTool {
  /** JSON pointers to what is secret in these arguments, as `redact` is. Must not throw. */
  readonly findSecrets?: (args: never) => readonly string[];
}

/** How often and when a tool is run again. */
export interface RetryOptions {
  /** Attempts in all. @default 3 */
  readonly maxAttempts?: number;
  /** The time before the second attempt; each further one waits twice as long. @default 1000 */
  readonly firstDelayMs?: number;
  /** The longest time between two attempts. @default 60_000 */
  readonly maxDelayMs?: number;
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
  /** Throws `INVALID_ARGUMENT` when they do not fit `input`. */
  parseArgs(args: unknown): unknown;
  /** With arguments as they are kept. */
  readonly run: (args: never, task: TaskContext) => unknown;
  readonly idempotent: boolean;
  readonly retry: Required<RetryOptions>;
  readonly estimateMs: number | ((args: never) => number | undefined) | undefined;
  readonly concurrency: number;
  readonly queue: ((args: never) => string) | undefined;
  readonly queueScope: 'principal' | 'program';
  readonly maxRunMs: number;
  readonly startWithinMs: number | null;
  readonly stallMs: number | undefined;
  readonly isolate: boolean | 'auto' | undefined;
  readonly environment: 'own' | 'any';
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number | undefined;
  readonly maxResultBytes: number;
  readonly redact: Redaction | undefined;
  readonly findSecrets: ((args: never) => readonly string[]) | undefined;
}

const DAY_MS = 86_400_000;

/** Checks a tool's options and fills in the defaults. */
export function parseTool(name: string, tool: Tool<never> & ServedTool): ParsedTool {
  if (typeof tool?.run !== 'function') throw invalid(name, { field: 'run', value: tool?.run, expected: 'a function' });
  checkKinds(name, tool);
  if (tool.retry !== undefined && tool.idempotent !== true) {
    throw invalid(name, { field: 'retry', value: tool.retry, expected: 'only together with idempotent: true' });
  }
  const number = (field: string, value: number | undefined, fallback: number) => {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && value > 0 && (Number.isInteger(value) || value === Infinity))
      return toKeepable(value);
    throw invalid(name, { field, value, expected: 'a whole number above 0' });
  };
  const { parseArgs, estimateMs } = parseInput(name, tool);
  return {
    name,
    parseArgs,
    run: (args, task) => tool.run(parseArgs(args) as never, task),
    idempotent: tool.idempotent ?? false,
    retry: {
      maxAttempts: tool.idempotent
        ? number('retry.maxAttempts', tool.retry?.maxAttempts, DEFAULT_RETRY.maxAttempts)
        : 1,
      firstDelayMs: number('retry.firstDelayMs', tool.retry?.firstDelayMs, DEFAULT_RETRY.firstDelayMs),
      maxDelayMs: number('retry.maxDelayMs', tool.retry?.maxDelayMs, DEFAULT_RETRY.maxDelayMs),
      when: tool.retry?.when ?? isRetryable,
    },
    estimateMs,
    concurrency: number('concurrency', tool.concurrency, Infinity),
    queue: tool.queue,
    queueScope: tool.queueScope ?? 'principal',
    maxRunMs: number('maxRunMs', tool.maxRunMs, DAY_MS),
    startWithinMs: tool.startWithinMs === undefined ? null : parseStartWithin(tool.startWithinMs, `tool ${name}: `),
    stallMs: tool.stallMs === undefined ? undefined : number('stallMs', tool.stallMs, DAY_MS),
    isolate: tool.isolate,
    environment: tool.environment ?? 'own',
    ttlMs: tool.ttlMs === undefined ? DEFAULT_TTL_MS : parseTtl(tool.ttlMs),
    pollIntervalMs: tool.pollIntervalMs === undefined ? undefined : number('pollIntervalMs', tool.pollIntervalMs, 1000),
    maxResultBytes: number('maxResultBytes', tool.maxResultBytes, MAX_RESULT_BYTES),
    redact: parseRedaction(tool.redact, `tool ${name}: `),
    findSecrets: tool.findSecrets,
  };
}

/** The functions of a tool that get what its `input` makes of the arguments. */
function parseInput(name: string, { input, estimateMs }: Tool<never>): Pick<ParsedTool, 'parseArgs' | 'estimateMs'> {
  if (input === undefined) return { parseArgs: (args) => args, estimateMs };
  const schema = parseSchema(name, 'input', input);
  const parseArgs = (args: unknown) => parseFitting(name, schema, args);
  if (typeof estimateMs !== 'function') return { parseArgs, estimateMs };
  return { parseArgs, estimateMs: (args) => estimateMs(parseArgs(args) as never) };
}

function parseFitting(name: string, { parse }: ParsedSchema, args: unknown): unknown {
  try {
    return parse(args);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `tool ${name}: the arguments do not fit its input: ${why}`, { cause });
  }
}

// A text such as 'false' would count as true, and repeat work that must not be repeated.
function checkKinds(name: string, tool: Tool<never>): void {
  const kinds: readonly (readonly [field: string, value: unknown, ...kinds: string[]])[] = [
    ['idempotent', tool.idempotent, 'boolean'],
    ['estimateMs', tool.estimateMs, 'number', 'function'],
    ['queue', tool.queue, 'function'],
    ['retry', tool.retry, 'object'],
    ['retry.when', tool.retry?.when, 'function'],
  ];
  if (tool.isolate !== undefined && tool.isolate !== 'auto' && typeof tool.isolate !== 'boolean') {
    throw invalid(name, { field: 'isolate', value: tool.isolate, expected: `true, false or 'auto'` });
  }
  if (tool.environment !== undefined && tool.environment !== 'own' && tool.environment !== 'any') {
    throw invalid(name, { field: 'environment', value: tool.environment, expected: `'own' or 'any'` });
  }
  const { queueScope = 'principal' } = tool;
  if (queueScope !== 'principal' && queueScope !== 'program') {
    throw invalid(name, { field: 'queueScope', value: queueScope, expected: `'principal' or 'program'` });
  }
  for (const [field, value, ...expected] of kinds) {
    if (value === undefined || expected.includes(typeof value)) continue;
    throw invalid(name, { field, value, expected: `a value of type ${expected.join(' or ')}` });
  }
}

function isRetryable(error: unknown): boolean {
  if (error instanceof TaskError) return error.traits.retryable;
  return error !== null && typeof error === 'object' && 'retryable' in error && error.retryable === true;
}

type Complaint = { readonly field: string; readonly value: unknown; readonly expected: string };

function invalid(tool: string, { field, value, expected }: Complaint): TaskError {
  return new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} is ${toValueText(value)}; expected ${expected}`);
}
