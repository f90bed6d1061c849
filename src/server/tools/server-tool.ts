import { z } from 'zod';
import { isForAppsOnly } from '../../app-only.ts';
import { parseStreamOption, type StreamOption } from '../../dialects/options.ts';
import type { ToolView } from '../../dialects/server-port.ts';
import { type AsyncToolConfig, isAsyncTool, parseAsyncTool } from '../../dialects/shared/async-task.ts';
import type { TaskContext } from '../../engine/attempts/context.ts';
import type { AskOptions } from '../../engine/attempts/question-form.ts';
import type { StandardInput, StandardSchema } from '../../engine/schemas/standard-schema.ts';
import {
  ANY_OBJECT,
  type ParsedSchema,
  parseSchema,
  type SchemaOutput,
  type ToolSchema,
} from '../../engine/schemas/tool-schema.ts';
import { isRepeatable, REPEATABLE_EXPECTED, type Tool, toolShape } from '../../engine/tool.ts';
import { TaskError } from '../../errors.ts';
import { refusedField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import type { RefusalParams } from '../../options/issue-text.ts';
import { callback, flag, onlyFields, text, value, whole } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import type { Json } from '../../task/json.ts';
import type { Delivery, Task } from '../../task/record.ts';
import { toValueText } from '../../text/value-text.ts';
import { checkQuick, quickTime } from './quick-option.ts';

/** A tool of a server. Options on how the work is run are those of the engine. */
export interface ServerTool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>
  extends Omit<Tool<SchemaOutput<Input>>, 'run' | 'estimateMs' | 'input' | 'queue'> {
  /** The display name. */
  readonly title?: string;
  /** What the tool does, for the model. */
  readonly description?: string;
  /** The schema of the arguments. @default an object without properties */
  readonly input?: Input;
  /** The schema of the result: `run` then returns a value of it, which is sent as `structuredContent`. */
  readonly output?: Output;
  /** Hints for clients; a client need not trust them. */
  readonly annotations?: ToolAnnotations;
  /** Icons that a client may show beside the tool. */
  readonly icons?: readonly { readonly src: string; readonly [key: string]: unknown }[];
  /** Sent unchanged in `tools/list`. */
  readonly _meta?: { readonly [key: string]: unknown };
  /**
   * The tool as `tools/list` shows it, instead of a listing made from the fields above: for tools of another server,
   * whose schemas and unknown fields must stay as they are. Arguments and results are then not checked here.
   */
  readonly listing?: { readonly inputSchema: unknown; readonly [field: string]: unknown };
  /** Whether `_meta` of a call is stored with its task, for `task.meta`. @default false */
  readonly keepMeta?: boolean;
  /**
   * Whether waiting clients are sent the tool's log, or it is only stored with the task: for tools whose log reaches
   * clients in another way. @default 'tell'
   */
  readonly logs?: 'tell' | 'keep';
  /**
   * When a call becomes a task: when it takes longer than `inlineMs`, always, or never. A `never` tool runs in the
   * serving process, uses no store and ends with the process; a tool that only views of MCP Apps see is always a
   * `never` tool.
   *
   * @default 'auto'
   */
  readonly task?: 'auto' | 'always' | 'never';
  /** How long an `auto` call may run before the client gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /**
   * How long an `auto` call runs in the serving process before it becomes a task. A call that returns by then is
   * answered and stores nothing. One that does not, that fails, or that uses its task (`progress`, `ask`, `step` …) is
   * aborted and restarts as a task, so it needs `idempotent: true`; calls with a key are tasks from the start. Such a
   * tool must not block the process, and `task.taskId` is empty meanwhile. A function is evaluated at each call. Not
   * with `queue`, `isolate`, `deliver`, `onSubmitted` or `redact`.
   *
   * @default 0, which is not at all
   */
  readonly quickMs?: number | (() => number);
  /**
   * How much of a result is in the answer; the rest becomes a link, which clients read with `resources/read`. A value
   * with an `output` schema stays whole.
   *
   * @default 256 KiB of text, 1 MiB for each image, sound or file
   */
  readonly inlineResult?: InlineResultOptions;
  /**
   * Whether a repeat of the same plain call by the same client joins the work of one that was abandoned or handed over,
   * instead of starting a second.
   *
   * @default true
   */
  readonly join?: boolean;
  /**
   * For how long a repeated call gets the stored result of one whose response was lost; 0 disables it. Running the work
   * again may do harm; an old result may be outdated. Where a tool sets this, undelivered results that are older are
   * not returned either.
   *
   * @default the server's `joinMs`; 0 with `join: false` or `annotations.readOnlyHint`
   */
  readonly joinMs?: number;
  /**
   * Whether every call is acknowledged at once and answered through the prompt log: `true`, or the fields of
   * `asyncTask` that differ from the defaults. A call cannot enable it: the log is a file on this machine.
   *
   * @default what the server's `asyncTask` says
   */
  readonly asyncTask?: boolean | AsyncToolOptions;
  /** Whether calls that request no other form are answered by a stream of notifications. @default those that ask for it */
  readonly stream?: StreamOption;
  /**
   * Checks a call before its task is written, in the serving process: throws to refuse it (`INVALID_ARGUMENT` is
   * −32602), or returns what the work needs of the request. Stored with the task; `run` gets it as `task.prepared`.
   */
  readonly prepare?: (call: PreparedCall) => Json | Promise<Json>;
  /** Outbox messages for the end of a task, delivered by the handlers in the server's `outbox`. */
  readonly deliver?: (prepared: Json | undefined) => readonly Delivery[];
  readonly estimateMs?: number | ((args: SchemaOutput<Input>) => number | undefined);
  /**
   * Returns the queue of a call, from its arguments and from what `prepare` returned; see `Tool.queue`. Not for `never`
   * tools.
   */
  readonly queue?: (args: SchemaOutput<Input>, prepared: Json | undefined) => string;
  /**
   * Called with a task once it is written, in the serving process; not for a task that was joined. The call does not
   * wait for it, and what it throws is reported.
   */
  readonly onSubmitted?: (task: Task) => void | Promise<void>;
  /** Questions to be answered before a task is created; the answers are `task.upfront`, by key. Not for `never` tools. */
  readonly upfront?: (args: SchemaOutput<Input>) => Readonly<Record<string, AskOptions>>;
  /** Returns a text, a list of content, a `CallToolResult`, or with `output` a value of that schema. */
  run(args: SchemaOutput<Input>, task: ServerTaskContext): RunResult<Output>;
}

/** How much of a result is in the answer. */
export interface InlineResultOptions {
  /** Bytes of all its texts together. @default 262_144 */
  readonly textBytes?: number;
  /** Bytes of one image, audio clip or file. @default 1_048_576 */
  readonly binaryBytes?: number;
}

/** What `run` of a tool with this `output` returns; without an `output`, any value, which is checked when it is sent. */
export type RunResult<Output> = ToolSchema extends Output
  ? unknown
  : StructuredResult<Output> | Promise<StructuredResult<Output>>;

type StructuredResult<Output> =
  | (Output extends StandardSchema ? StandardInput<Output> : object & { readonly then?: never })
  | CallToolResult;

/** MCP's `CallToolResult`, for tools that return more than a value. */
export interface CallToolResult {
  /** The content for the model. */
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  /** The value for programs; required with `output`, unless `isError`. */
  readonly structuredContent?: unknown;
  /** Whether the tool failed; `content` then says how. @default false */
  readonly isError?: boolean;
  /** Sent unchanged. */
  readonly _meta?: { readonly [key: string]: unknown };
}

/** A tool's hints for clients, with MCP's names. */
export interface ToolAnnotations {
  /** The display name. */
  readonly title?: string;
  /** Whether it changes nothing. @default false */
  readonly readOnlyHint?: boolean;
  /** Whether its changes may be destructive. @default true */
  readonly destructiveHint?: boolean;
  /** Whether a second call with the same arguments changes nothing more. @default false */
  readonly idempotentHint?: boolean;
  /** Whether it interacts with things outside of what the server knows, such as the web. @default true */
  readonly openWorldHint?: boolean;
}

/** The fields of `asyncTask` that differ from the defaults. */
export interface AsyncToolOptions {
  /**
   * Whether the contract holds only for calls with a task id in `_meta`. Calls of a host that uses the contract, by
   * `_meta.chatos` or `_meta.asyncTask`, are refused without an id; all others get another form. With `'asked'` it
   * holds only for calls whose `_meta.asyncTask` covers the tool.
   *
   * @default false
   */
  readonly optional?: boolean | 'asked';
  /** Whether every call that ends writes a result prompt, in whatever form it was answered. @default false */
  readonly promptAlways?: boolean;
  /** Whether the app writes its task store itself; then only the sending of a prompt is recorded there. @default false */
  readonly ownStore?: boolean;
  /** Names of the tools it applies to, case-insensitive. @default every tool */
  readonly tools?: readonly string[];
  /** The key of the task id in `_meta`. @default 'taskId' */
  readonly taskIdKey?: string;
  /** Where results are read; there is only one place. @default 'ui_prompts' */
  readonly resultSource?: 'ui_prompts';
  /** The file name of the log. @default 'ui-prompts.jsonl' */
  readonly uiPromptFile?: string;
  /** The host's poll interval in ms, from 200 to 5000. @default 1000 */
  readonly pollIntervalMs?: number;
  /** The optional prefix of the id in a `requestId`; empty for none. @default the prefix of the contract */
  readonly requestIdPrefix?: string;
  /** The app's task store, relative to its data directory. @default none */
  readonly stateFileName?: string;
}

/** A call as received. */
export interface PreparedCall {
  /** The arguments, not yet validated. */
  readonly args: unknown;
  readonly meta: { readonly [key: string]: unknown };
}

/** What a running tool of a server can use. */
export interface ServerTaskContext extends TaskContext {
  /** Answers to the questions asked before the task was made. */
  readonly upfront: Readonly<Record<string, Json>>;
  /** What the tool's `prepare` returned for the request. */
  readonly prepared: Json | undefined;
  /** `_meta` of the call, for tools with `keepMeta`. */
  readonly meta: { readonly [key: string]: Json };
}

/** A registered tool with its parsed schemas. */
export interface ParsedServerTool extends ToolView {
  readonly definition: ServerTool;
  /** Returns 0 when its calls are tasks from the start. */
  quickMs(): number;
  /** As `tools/list` shows it, without what differs between eras. */
  readonly listing: { readonly name: string; readonly inputSchema: Json; readonly [key: string]: unknown };
  /** Throws an error that says what is wrong with the arguments. */
  parseArgs(args: unknown): unknown;
}

/** The server's defaults for its tools. */
interface ToolDefaults {
  readonly name: string;
  readonly inlineMs: number;
  readonly joinMs: number;
  readonly asyncTask: AsyncToolConfig | undefined;
}

const parseFields = optionsParser(() =>
  onlyFields(
    {
      ...toolShape(),
      title: z.string('a text').optional(),
      description: z.string('a text').optional(),
      annotations: annotationsSchema().optional(),
      icons: z.array(z.looseObject({ src: text() }, 'an object with src'), 'a list of icons').optional(),
      _meta: value<{ readonly [key: string]: unknown }>('an object', isObject).optional(),
      listing: value<ServerTool['listing']>('an object with inputSchema', isListing).optional(),
      keepMeta: flag().optional(),
      logs: z.enum(['tell', 'keep'], "'tell' or 'keep'").optional(),
      task: z.enum(['auto', 'always', 'never'], "'auto', 'always' or 'never'").default('auto'),
      inlineMs: whole(0).optional(),
      quickMs: quickTime().default(0),
      inlineResult: z
        .object(
          {
            textBytes: whole(0).optional(),
            binaryBytes: whole(0).optional(),
          } satisfies OptionsShape<InlineResultOptions>,
          'an object of textBytes and binaryBytes',
        )
        .optional(),
      join: flag().optional(),
      joinMs: whole(0).optional(),
      prepare: callback<ServerTool['prepare']>().optional(),
      deliver: callback<ServerTool['deliver']>().optional(),
      onSubmitted: callback<ServerTool['onSubmitted']>().optional(),
      upfront: callback<ServerTool['upfront']>().optional(),
      run: callback<ServerTool['run']>(),
      // These have parsers of their own.
      output: z.custom<ToolSchema>().optional(),
      asyncTask: z.custom<boolean | AsyncToolOptions>().optional(),
      stream: z.custom<StreamOption>().optional(),
      queue: callback<ServerTool['queue']>().optional(),
    } satisfies OptionsShape<ServerTool>,
    'an object with run',
  )
    .refine(isRepeatable, REPEATABLE_EXPECTED)
    .superRefine(checkNeverTask)
    .superRefine(checkQuick),
);

function annotationsSchema() {
  return z.looseObject(
    {
      title: z.string('a text').optional(),
      readOnlyHint: flag().optional(),
      destructiveHint: flag().optional(),
      idempotentHint: flag().optional(),
      openWorldHint: flag().optional(),
    } satisfies OptionsShape<ToolAnnotations>,
    'an object',
  );
}

/**
 * Refuses options that only tools with tasks can have. Outside the modern era the task itself asks upfront questions,
 * which a `never` tool cannot.
 */
function checkNeverTask(tool: { readonly [Field in keyof ServerTool]?: unknown }, context: z.RefinementCtx): void {
  if (tool.task !== 'never' && !isForAppsOnly(tool)) return;
  const message = "only with task 'auto' or 'always'";
  const params: RefusalParams = { says: 'is "given"' };
  if (tool.queue) context.addIssue({ code: 'custom', path: ['queue'], message, params });
  if (tool.upfront) context.addIssue({ code: 'custom', path: ['upfront'], message, params });
  if (tool.stream) context.addIssue({ code: 'custom', path: ['stream'], message });
}

/** Validates a tool's options and parses its schemas. */
export function parseServerTool(name: string, tool: ServerTool, defaults: ToolDefaults): ParsedServerTool {
  const of = `tool ${name}`;
  if (!isName(name, tool)) {
    const says = `is ${toValueText(name)}`;
    throw refusedField({ of, field: 'the name', says, expected: '1 to 128 of A–Z, a–z, 0–9, _ . - /' });
  }
  const { task, quickMs, inlineMs = defaults.inlineMs } = parseFields(tool, { of, whole: 'the tool' });
  const { asyncTask } = defaults;
  const byDefault = asyncTask && isAsyncTool(asyncTask, name) ? asyncTask : undefined;
  const prompts = tool.asyncTask === undefined ? byDefault : parseAsyncTool(tool.asyncTask);
  const input = tool.input === undefined ? ANY_OBJECT : parseSchema(name, 'input', tool.input);
  const output = tool.output === undefined ? undefined : parseSchema(name, 'output', tool.output);
  return {
    name,
    definition: tool,
    // A view waits for its answer on its own connection, and does not know tasks.
    taskMode: isForAppsOnly(tool) ? 'never' : task,
    inlineMs,
    quickMs: typeof quickMs === 'function' ? quickMs : () => quickMs,
    joinMs: toJoinMs(tool, defaults.joinMs),
    ...(prompts && { prompts }),
    stream: parseStreamOption(tool.stream, { tool: name, server: defaults.name }),
    listing: toListing(name, tool, { inputSchema: input.json, ...(output && { outputSchema: output.json }) }),
    parseArgs: (args) => input.parse(args ?? {}),
    ...toOutputParser(name, tool, output),
  };
}

/** Results of a foreign tool are not validated here; clients must still learn that it has an output schema. */
function toOutputParser(
  name: string,
  { listing }: ServerTool,
  output: ParsedSchema | undefined,
): Pick<ToolView, 'parseOutput'> {
  if (output) return { parseOutput: (value) => parseOutput(name, output, value) };
  return listing?.outputSchema === undefined ? {} : { parseOutput: (value) => value as Json };
}

function parseOutput(name: string, output: ParsedSchema, value: unknown): Json {
  try {
    return output.parse(value) as Json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TaskError('TOOL_FAILED', `tool ${name}: what it returned does not fit its output: ${why}`, { cause });
  }
}

/** A foreign tool keeps its name, if that can be displayed. */
function isName(name: unknown, tool: ServerTool | undefined): boolean {
  if (typeof name !== 'string') return false;
  return (tool?.listing ? /^[^\p{Cc}]{1,256}$/u : /^[A-Za-z0-9_.\-/]{1,128}$/).test(name);
}

function isListing(listing: unknown): boolean {
  return isObject(listing) && isObject(listing.inputSchema);
}

/** A read-only tool does no harm when it runs again, and its caller wants current data. */
function toJoinMs({ join, joinMs, annotations }: ServerTool, defaultMs: number): number {
  const isUnwanted = join === false || annotations?.readOnlyHint === true;
  return joinMs ?? (isUnwanted ? 0 : defaultMs);
}

function toListing(
  name: string,
  tool: ServerTool,
  schemas: { inputSchema: Json; outputSchema?: Json },
): ParsedServerTool['listing'] {
  if (tool.listing) return { ...tool.listing, name, inputSchema: tool.listing.inputSchema as Json };
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
