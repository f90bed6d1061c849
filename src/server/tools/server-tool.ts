import { createRequire } from 'node:module';
import { z } from 'zod';
import { parseRedaction } from '../../codec/redaction.ts';
import { type AsyncToolConfig, isAsyncTool, parseAsyncTool } from '../../dialects/ui-prompts/async-task.ts';
import type { TaskContext } from '../../engine/attempts/context.ts';
import type { AskOptions } from '../../engine/attempts/question-form.ts';
import type { Tool } from '../../engine/tool.ts';
import { TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';
import type { Delivery, Task } from '../../task/record.ts';
import { parseStreamOption, type StreamOption, type StreamSettings } from './stream-option.ts';

/** A schema as zod or as JSON Schema of type object. */
export type ToolSchema = z.ZodType | { readonly type: 'object'; readonly [key: string]: unknown };

type ArgsOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<string, Json>;

/** A tool of a server. Everything that says how the work may be treated is as for the engine. */
export interface ServerTool<Input extends ToolSchema = ToolSchema>
  extends Omit<Tool<ArgsOf<Input>>, 'run' | 'estimateMs' | 'queue'> {
  readonly title?: string;
  readonly description?: string;
  /** What the tool takes. @default an object without properties */
  readonly input?: Input;
  /** What it returns: then `run` returns a value of this schema, sent as `structuredContent`. */
  readonly output?: ToolSchema;
  readonly annotations?: { readonly [key: string]: unknown };
  readonly icons?: readonly { readonly src: string; readonly [key: string]: unknown }[];
  readonly _meta?: { readonly [key: string]: unknown };
  /**
   * When a call becomes a task: when it takes longer than `inlineMs`, always, or never. A `never` tool runs in the
   * serving process, touches no store and ends with it.
   *
   * @default 'auto'
   */
  readonly task?: 'auto' | 'always' | 'never';
  /** How long an `auto` call is waited for before the client gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /**
   * Whether the same plain call, made again by the same client, takes up one that was left or handed over instead of
   * starting a second.
   *
   * @default true
   */
  readonly join?: boolean;
  /**
   * For how long the same call gets the stored result of one whose response was lost; 0 is not at all. A repeat that runs
   * the work again may do harm; one that gets an old result may read what is not true any more. Where a tool sets it,
   * results that ended unseen are not given either when they are older.
   *
   * @default the server's `joinMs`; 0 with `join: false` or `annotations.readOnlyHint`
   */
  readonly joinMs?: number;
  /**
   * Whether every call is acknowledged at once and answered through the log of prompts: `true`, or the fields of
   * `asyncTask` that differ from the defaults. A call cannot ask for it where it is off: the log is a file on this machine.
   *
   * @default what the server's `asyncTask` says
   */
  readonly asyncTask?: boolean | AsyncToolOptions;
  /** Whether calls that ask for nothing else are answered by a stream of notifications. @default those that ask for it */
  readonly stream?: StreamOption;
  /**
   * Looks at a call before its task is written, in the serving process: throws to refuse it (`INVALID_ARGUMENT` is
   * −32602), returns what the work needs of the request. Kept with the task; `run` gets it as `task.prepared`.
   */
  readonly prepare?: (call: PreparedCall) => Json | Promise<Json>;
  /** Messages that the end of a task puts into the outbox, for the handlers in the server's `outbox`. */
  readonly deliver?: (prepared: Json | undefined) => readonly Delivery[];
  readonly estimateMs?: number | ((args: ArgsOf<Input>) => number | undefined);
  /**
   * The queue that a call stands in, by its arguments and by what `prepare` made of the request; see `Tool.queue`. Not for
   * `never` tools.
   */
  readonly queue?: (args: ArgsOf<Input>, prepared: Json | undefined) => string;
  /**
   * Told of a task once it is written, in the serving process and not of one that was joined. The call does not wait for it,
   * and what it throws is reported.
   */
  readonly onSubmitted?: (task: Task) => void | Promise<void>;
  /** Questions to be answered before a task is made; the answers are `task.upfront`, by key. Not for `never` tools. */
  readonly upfront?: (args: ArgsOf<Input>) => Readonly<Record<string, AskOptions>>;
  /** Returns a text, a list of content, a `CallToolResult`, or with `output` a value of that schema. */
  run(args: ArgsOf<Input>, task: ServerTaskContext): unknown;
}

/** The fields of `asyncTask` that differ from the defaults. */
export interface AsyncToolOptions {
  /**
   * The contract holds only for calls with a task id in `_meta`. Those of a host that speaks it, by `_meta.chatos` or
   * `_meta.asyncTask`, are refused without one; all others get another form. With `'asked'` it holds only for calls
   * whose `_meta.asyncTask` covers the tool.
   *
   * @default false
   */
  readonly optional?: boolean | 'asked';
  /** Every call that ends writes a result prompt, whatever form it was answered in. @default false */
  readonly promptAlways?: boolean;
  /** The app writes its task store itself, and is only told there when a prompt was sent. @default false */
  readonly ownStore?: boolean;
  readonly [field: string]: Json | undefined;
}

/** A call as it came. */
export interface PreparedCall {
  /** Not yet checked. */
  readonly args: unknown;
  readonly meta: { readonly [key: string]: unknown };
}

/** What a running tool of a server can do. */
export interface ServerTaskContext extends TaskContext {
  /** Answers to the questions asked before the task was made. */
  readonly upfront: Readonly<Record<string, Json>>;
  /** What the tool's `prepare` made of the request. */
  readonly prepared: Json | undefined;
}

/** What the engine keeps as a task's arguments. */
export interface StoredCall {
  readonly args: Json;
  readonly upfront: Readonly<Record<string, Json>>;
  readonly prepared?: Json;
}

/** A registered tool with its schemas ready. */
export interface ParsedServerTool {
  readonly name: string;
  readonly definition: ServerTool;
  readonly taskMode: 'auto' | 'always' | 'never';
  readonly inlineMs: number;
  readonly joinMs: number;
  /** How it answers through the log of prompts, if it does by itself. */
  readonly prompts?: AsyncToolConfig;
  readonly stream: StreamSettings;
  /** As `tools/list` shows it, without what differs between eras. */
  readonly listing: { readonly name: string; readonly inputSchema: Json; readonly [key: string]: unknown };
  /** Throws a text that says what is wrong with the arguments. */
  parseArgs(args: unknown): unknown;
  /** The same for what the tool returned; absent without `output`. */
  readonly parseOutput?: (value: unknown) => Json;
}

const require = createRequire(import.meta.url);

const TASK_MODES = ['auto', 'always', 'never'];

/** What the server says of tools that say nothing themselves. */
interface ToolDefaults {
  readonly name: string;
  readonly inlineMs: number;
  readonly joinMs: number;
  readonly asyncTask: AsyncToolConfig | undefined;
}

/** Checks a tool's options and prepares its schemas. */
export function parseServerTool(name: string, tool: ServerTool, defaults: ToolDefaults): ParsedServerTool {
  if (!/^[A-Za-z0-9_.\-/]{1,128}$/.test(name))
    throw invalid(name, { field: 'the name', value: name, expected: '1 to 128 of A–Z, a–z, 0–9, _ . - /' });
  const { task = 'auto', inlineMs = defaults.inlineMs } = tool;
  if (!TASK_MODES.includes(task))
    throw invalid(name, { field: 'task', value: task, expected: "'auto', 'always' or 'never'" });
  if (!Number.isInteger(inlineMs) || inlineMs < 0)
    throw invalid(name, { field: 'inlineMs', value: inlineMs, expected: 'a whole number from 0 up' });
  checkAnswering(name, tool);
  parseRedaction(tool.redact, `tool ${name}: `);
  const { asyncTask } = defaults;
  const byDefault = asyncTask && isAsyncTool(asyncTask, name) ? asyncTask : undefined;
  const prompts = tool.asyncTask === undefined ? byDefault : parseAsyncTool(tool.asyncTask);
  const input = toSchema(name, 'input', tool.input ?? { type: 'object', properties: {} });
  const output = tool.output === undefined ? undefined : toSchema(name, 'output', tool.output);
  return {
    name,
    definition: tool,
    taskMode: task,
    inlineMs,
    joinMs: parseJoinMs(name, tool, defaults.joinMs),
    ...(prompts && { prompts }),
    stream: parseStreamOption(tool.stream, { tool: name, server: defaults.name }),
    listing: toListing(name, tool, { inputSchema: input.json, ...(output && { outputSchema: output.json }) }),
    parseArgs: (args) => input.parse(args ?? {}),
    ...(output && { parseOutput: (value: unknown) => output.parse(value) as Json }),
  };
}

/** What only reads does no harm when it runs again, and is asked for what is true now. */
function parseJoinMs(name: string, { join, joinMs, annotations }: ServerTool, defaultMs: number): number {
  const isUnwanted = join === false || annotations?.readOnlyHint === true;
  const value = joinMs ?? (isUnwanted ? 0 : defaultMs);
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalid(name, { field: 'joinMs', value, expected: 'a whole number from 0 up' });
}

/** What can be said of a tool only when it can be a task, and what must be of its type. */
function checkAnswering(name: string, tool: ServerTool): void {
  if (tool.join !== undefined && typeof tool.join !== 'boolean')
    throw invalid(name, { field: 'join', value: tool.join, expected: 'true or false' });
  if (tool.prepare !== undefined && typeof tool.prepare !== 'function')
    throw invalid(name, { field: 'prepare', value: tool.prepare, expected: 'a function' });
  if (tool.deliver !== undefined && typeof tool.deliver !== 'function')
    throw invalid(name, { field: 'deliver', value: tool.deliver, expected: 'a function' });
  if (tool.task !== 'never') return;
  // Outside the modern era the work itself asks, and a tool that is never a task cannot.
  if (tool.queue)
    throw invalid(name, { field: 'queue', value: 'given', expected: "only with task 'auto' or 'always'" });
  if (tool.upfront)
    throw invalid(name, { field: 'upfront', value: 'given', expected: "only with task 'auto' or 'always'" });
  if (tool.stream)
    throw invalid(name, { field: 'stream', value: tool.stream, expected: "only with task 'auto' or 'always'" });
}

function toListing(name: string, tool: ServerTool, schemas: { inputSchema: Json; outputSchema?: Json }) {
  const { title, description, annotations, icons, _meta } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...schemas,
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  };
}

function toSchema(name: string, field: string, schema: ToolSchema): { json: Json; parse(value: unknown): unknown } {
  try {
    const isZod = '_zod' in schema;
    const json = (isZod ? z.toJSONSchema(schema as z.ZodType, { io: field as 'input' | 'output' }) : schema) as Json;
    if ((json as { type?: unknown }).type !== 'object') throw new Error('it is not of type object');
    return { json, parse: isZod ? toZodParser(schema as z.ZodType) : toJsonParser(schema) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('INVALID_ARGUMENT', `tool ${name}: ${field} cannot be used: ${why}`, { cause });
  }
}

function toZodParser(schema: z.ZodType): (value: unknown) => unknown {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new TaskError('INVALID_ARGUMENT', z.prettifyError(parsed.error));
  };
}

/**
 * The SDK's validator knows all of JSON Schema 2020-12, which zod's reading of it does not. Loaded only for those who
 * need it, and at once: a schema that cannot be used is an error of the registration.
 */
function toJsonParser(schema: ToolSchema): (value: unknown) => unknown {
  const { AjvJsonSchemaValidator } =
    require('@modelcontextprotocol/server/validators/ajv') as typeof import('@modelcontextprotocol/server/validators/ajv');
  const validate = new AjvJsonSchemaValidator().getValidator(schema as never);
  return (value) => {
    const checked = validate(value);
    if (checked.valid) return checked.data;
    throw new TaskError('INVALID_ARGUMENT', checked.errorMessage);
  };
}

function invalid(tool: string, complaint: { field: string; value: unknown; expected: string }): TaskError {
  const { field, value, expected } = complaint;
  return new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} is ${JSON.stringify(value)}; expected ${expected}`);
}
