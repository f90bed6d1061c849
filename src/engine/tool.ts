import { z } from 'zod';
import { parseRedaction, type Redaction } from '../codec/redaction.ts';
import { TaskError } from '../errors.ts';
import { MAX_RESULT_BYTES } from '../limits.ts';
import { redactOption } from '../options/codec-option.ts';
import { callback, onlyFields, value, wholeOrInfinite } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';
import type { Json } from '../task/json.ts';
import { DEFAULT_RETRY } from '../task/retry.ts';
import { DEFAULT_TTL_MS, parseTtl } from '../task/ttl.ts';
import type { TaskContext } from './attempts/context.ts';
import { type ParsedSchema, parseSchema, type ToolSchema } from './schemas/tool-schema.ts';
import { isStartWithin, parseStartWithin, START_WITHIN_EXPECTED } from './start-within.ts';
import { toStorableNumber } from './storable-number.ts';

/** A piece of work that can be run as a durable task. */
export interface Tool<Args = Json> {
  /**
   * What the tool accepts: zod, or JSON Schema of type object. Calls that do not fit are refused with `INVALID_ARGUMENT`,
   * and `run` gets the arguments as the schema parses them.
   *
   * @default anything that JSON can carry
   */
  readonly input?: ToolSchema;
  /** Does the work; the returned value, as JSON restores it, is the result of the task. */
  run(args: Args, task: TaskContext): unknown;
  /**
   * Whether the work may be run again from the top when its worker was lost. Only set it when a second run does no harm:
   * without it, a task that loses its worker ends as `interrupted`.
   *
   * @default false
   */
  readonly idempotent?: boolean;
  /** When, and how often, an idempotent tool is run again. */
  readonly retry?: RetryOptions;
  /** How long the work takes: a fixed time, or a function of the arguments. Without it the engine learns from past runs. */
  readonly estimateMs?: number | ((args: Args) => number | undefined);
  /** How many attempts of this tool one worker runs at once. @default the engine's limit */
  readonly concurrency?: number;
  /**
   * The queue of a call, derived from its arguments. Calls with the same queue run one after the other, in the order of
   * submission, across processes and restarts; this includes calls of other tools of the program with that queue. A call
   * keeps its place until it has ended and its work has stopped, even while it waits for its next attempt or for an
   * answer.
   *
   * A call whose queue is not a text of 1 to 512 characters, or for which this throws, is refused (`INVALID_ARGUMENT`).
   *
   * @example ({ repository }) => repository
   */
  readonly queue?: (args: Args) => string;
  /**
   * Whether a queue is shared by all principals. If it is not, no principal can delay the calls of others; share a queue
   * for what only one call can use at a time, such as a directory.
   *
   * @default 'principal'
   */
  readonly queueScope?: 'principal' | 'program';
  /** The longest an attempt may run, not counting the time it waits for answers. @default 86_400_000 */
  readonly maxRunMs?: number;
  /**
   * How long a task may wait for its first attempt; then it ends as `NOT_STARTED` without being run. Prevents work that
   * would start too late to be useful, such as behind a blocked queue. A call may override it.
   *
   * @default null, for ever
   */
  readonly startWithinMs?: number | null;
  /** Ends an attempt that gave no sign of life (progress, log, step, output) for this long. @default no limit */
  readonly stallMs?: number;
  /**
   * Whether attempts run in processes of their own, so that a tool that blocks the thread or crashes affects no other
   * task.
   *
   * - `true`:   every attempt.
   * - `'auto'`: attempts of a task whose worker was lost while it was running, and all after the tool has blocked the
   *   thread.
   * - `false`:  none, whatever happens; for tools that need data in the memory of their worker.
   *
   * @default as 'auto', but with inline workers a tool that blocks is only named: it may share memory with the program
   */
  readonly isolate?: boolean | 'auto';
  /**
   * Whether a task of this tool may be run by the same program in another environment, once no process runs the one it
   * was submitted to. Use `'any'` for work that depends on no variable: no key, no address, no place.
   *
   * @default 'own'
   */
  readonly environment?: 'own' | 'any';
  /** How long a finished task can still be read. @default 3_600_000 */
  readonly ttlMs?: number | null;
  /** The poll interval that a client is asked for. @default by the remaining time: 1 s near the end, 15 s far from it */
  readonly pollIntervalMs?: number;
  /** The largest result that is stored, in bytes of JSON. @default 10_485_760 */
  readonly maxResultBytes?: number;
  /**
   * Arguments that only the tool may see: names of fields, at any depth, and JSON pointers in which `*` stands for any
   * member. They are sealed where they are stored, shown as `******`, and their values are masked in what the tool logs,
   * streams and throws. Results are not changed.
   *
   * @example ['apiKey', '/auth/*']
   */
  readonly redact?: readonly string[];
}

/** What a server knows of a tool, in addition to its author's options. */
export interface ServedTool {
  /** Returns JSON pointers to the secrets in these arguments, as in `redact`. Must not throw. */
  readonly findSecrets?: (args: never) => readonly string[];
}

/** When, and how often, a tool is run again. */
export interface RetryOptions {
  /** How many attempts there are in total. @default 3 */
  readonly maxAttempts?: number;
  /** The delay before the second attempt; it doubles for each further one. @default 1000 */
  readonly firstDelayMs?: number;
  /** The longest delay between two attempts. @default 60_000 */
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
  /** Returns the parsed arguments; throws `INVALID_ARGUMENT` when they do not fit `input`. */
  parseArgs(args: unknown): unknown;
  /** Called with arguments as they are stored. */
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

const number = () => wholeOrInfinite(1, 'a whole number above 0').optional();
// Checked strictly: a text such as 'false' would count as true, and repeat work that must not be repeated.
const ofType = <T>(...types: readonly string[]) =>
  value<T>(`a value of type ${types.join(' or ')}`, (one) => types.includes(typeof one)).optional();

/** The options of a tool, for code that registers tools. */
export function toolShape() {
  return {
    run: callback<Tool<never>['run']>(),
    input: z.custom<ToolSchema>().optional(),
    idempotent: ofType<boolean>('boolean'),
    retry: onlyFields(retryShape(), 'a value of type object').optional(),
    estimateMs: ofType<Tool<never>['estimateMs']>('number', 'function'),
    concurrency: number(),
    queue: ofType<(args: never) => string>('function'),
    queueScope: z.enum(['principal', 'program'], "'principal' or 'program'").default('principal'),
    maxRunMs: number(),
    startWithinMs: value<number | null>(START_WITHIN_EXPECTED, isStartWithin).optional(),
    stallMs: number(),
    isolate: z.union([z.boolean(), z.literal('auto')], "true, false or 'auto'").optional(),
    environment: z.enum(['own', 'any'], "'own' or 'any'").default('own'),
    // Parsed separately: its error has a code of its own.
    ttlMs: z
      .unknown()
      .optional()
      .transform((ttlMs) => (ttlMs === undefined ? DEFAULT_TTL_MS : parseTtl(ttlMs))),
    pollIntervalMs: number(),
    maxResultBytes: number(),
    redact: redactOption().optional(),
  } satisfies OptionsShape<Tool<never>>;
}

function servedShape() {
  return {
    findSecrets: callback<NonNullable<ServedTool['findSecrets']>>().optional(),
  } satisfies OptionsShape<ServedTool>;
}

function retryShape() {
  return {
    maxAttempts: number(),
    firstDelayMs: number(),
    maxDelayMs: number(),
    when: ofType<(error: unknown) => boolean>('function'),
  } satisfies OptionsShape<RetryOptions>;
}

const parseFields = optionsParser(() =>
  onlyFields({ ...toolShape(), ...servedShape() }, 'an object with run').refine(isRepeatable, REPEATABLE_EXPECTED),
);

/** Whether `retry` is allowed: only for work that may be repeated. */
export function isRepeatable({
  retry,
  idempotent,
}: {
  readonly retry?: unknown;
  readonly idempotent?: unknown;
}): boolean {
  return retry === undefined || idempotent === true;
}

export const REPEATABLE_EXPECTED = { path: ['retry'], error: 'only together with idempotent: true' };

/** Checks a tool's options and fills in the defaults. */
export function parseTool(name: string, tool: Tool<never> & ServedTool): ParsedTool {
  const given = parseFields(tool ?? {}, { of: `tool ${name}` });
  const { idempotent = false, retry = {}, startWithinMs = null } = given;
  const keep = (value: number | undefined, fallback: number) => toStorableNumber(value ?? fallback);
  const { parseArgs, estimateMs } = parseInput(name, tool);
  return {
    name,
    parseArgs,
    run: (args, task) => tool.run(parseArgs(args) as never, task),
    idempotent,
    retry: {
      maxAttempts: idempotent ? keep(retry.maxAttempts, DEFAULT_RETRY.maxAttempts) : 1,
      firstDelayMs: keep(retry.firstDelayMs, DEFAULT_RETRY.firstDelayMs),
      maxDelayMs: keep(retry.maxDelayMs, DEFAULT_RETRY.maxDelayMs),
      when: retry.when ?? isRetryable,
    },
    estimateMs,
    concurrency: given.concurrency === undefined ? Infinity : toStorableNumber(given.concurrency),
    queue: given.queue,
    queueScope: given.queueScope,
    maxRunMs: keep(given.maxRunMs, DAY_MS),
    startWithinMs: parseStartWithin(startWithinMs),
    stallMs: given.stallMs === undefined ? undefined : toStorableNumber(given.stallMs),
    isolate: given.isolate,
    environment: given.environment,
    ttlMs: given.ttlMs,
    pollIntervalMs: given.pollIntervalMs === undefined ? undefined : toStorableNumber(given.pollIntervalMs),
    maxResultBytes: keep(given.maxResultBytes, MAX_RESULT_BYTES),
    redact: parseRedaction(given.redact),
    findSecrets: given.findSecrets,
  };
}

/** Wraps the tool's functions so that they get the arguments as its `input` parses them. */
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

function isRetryable(error: unknown): boolean {
  if (error instanceof TaskError) return error.traits.retryable;
  return error !== null && typeof error === 'object' && 'retryable' in error && error.retryable === true;
}
