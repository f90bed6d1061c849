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

/** A tool of a server. Everything that says how the work may be treated is as for the engine. */
export interface ServerTool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>
  extends Omit<Tool<SchemaOutput<Input>>, 'run' | 'estimateMs' | 'input' | 'queue'> {
  /** The tool's name for people. */
  readonly title?: string;
  /** What the tool does, for the model. */
  readonly description?: string;
  /** What the tool takes. @default an object without properties */
  readonly input?: Input;
  /** What it returns: then `run` returns a value of this schema, sent as `structuredContent`. */
  readonly output?: Output;
  /** Hints for clients; a client need not believe them. */
  readonly annotations?: ToolAnnotations;
  /** Pictures that a client may show beside the tool. */
  readonly icons?: readonly { readonly src: string; readonly [key: string]: unknown }[];
  /** Passed on in the listing as it is. */
  readonly _meta?: { readonly [key: string]: unknown };
  /**
   * The tool as `tools/list` shows it, in place of what is made of the fields above: for tools of somebody else, whose schemas
   * and unknown fields are to stay as they are. What it takes and returns is then not checked here.
   */
  readonly listing?: { readonly inputSchema: unknown; readonly [field: string]: unknown };
  /** Whether `_meta` of a call is kept with its task, for `task.meta`. @default false */
  readonly keepMeta?: boolean;
  /**
   * Whether clients that wait for a call are told what its tool logs, or it is only kept with the task: for tools whose log
   * reaches clients in another way. @default 'tell'
   */
  readonly logs?: 'tell' | 'keep';
  /**
   * When a call becomes a task: when it takes longer than `inlineMs`, always, or never. A `never` tool runs in the
   * serving process, touches no store and ends with it; a tool that only views of MCP Apps see is one.
   *
   * @default 'auto'
   */
  readonly task?: 'auto' | 'always' | 'never';
  /** How long an `auto` call is waited for before the client gets a handle. @default 1000 */
  readonly inlineMs?: number;
  /**
   * For how long an `auto` call runs in the serving process before it becomes a task. One that returns by then is answered and
   * leaves no trace. One that does not, that fails, or that uses its task (`progress`, `ask`, `step` …) is aborted and begins
   * anew as a task, so it needs `idempotent: true`; calls with a key are tasks from the start. Such a tool must not block the
   * process, and `task.taskId` is empty meanwhile. A function is asked at each call. Not with `queue`, `isolate`, `deliver`, `onSubmitted` or `redact`.
   *
   * @default 0, which is not at all
   */
  readonly quickMs?: number | (() => number);
  /**
   * How much of a result is in the answer; the rest becomes a link, which clients read with `resources/read`. A value with
   * an `output` schema stays whole.
   *
   * @default 256 KiB of text, 1 MiB for each image, sound or file
   */
  readonly inlineResult?: InlineResultOptions;
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
  readonly estimateMs?: number | ((args: SchemaOutput<Input>) => number | undefined);
  /**
   * The queue that a call stands in, by its arguments and by what `prepare` made of the request; see `Tool.queue`. Not for
   * `never` tools.
   */
  readonly queue?: (args: SchemaOutput<Input>, prepared: Json | undefined) => string;
  /**
   * Told of a task once it is written, in the serving process and not of one that was joined. The call does not wait for it,
   * and what it throws is reported.
   */
  readonly onSubmitted?: (task: Task) => void | Promise<void>;
  /** Questions to be answered before a task is made; the answers are `task.upfront`, by key. Not for `never` tools. */
  readonly upfront?: (args: SchemaOutput<Input>) => Readonly<Record<string, AskOptions>>;
  /** Returns a text, a list of content, a `CallToolResult`, or with `output` a value of that schema. */
  run(args: SchemaOutput<Input>, task: ServerTaskContext): RunResult<Output>;
}

/** How much of a result is in the answer. */
export interface InlineResultOptions {
  /** Bytes of all its texts together. @default 262_144 */
  readonly textBytes?: number;
  /** Bytes of one image, sound or file. @default 1_048_576 */
  readonly binaryBytes?: number;
}

/** What `run` of a tool with this `output` returns; without one whatever can be sent, which is checked when it is. */
export type RunResult<Output> = ToolSchema extends Output
  ? unknown
  : StructuredResult<Output> | Promise<StructuredResult<Output>>;

type StructuredResult<Output> =
  | (Output extends StandardSchema ? StandardInput<Output> : object & { readonly then?: never })
  | CallToolResult;

/** A `CallToolResult` of MCP, for tools that say more than a value. */
export interface CallToolResult {
  /** What the model gets to read. */
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  /** The value for programs; needed beside `output`, unless `isError`. */
  readonly structuredContent?: unknown;
  /** Whether the tool failed; then `content` says how. @default false */
  readonly isError?: boolean;
  /** Passed on as it is. */
  readonly _meta?: { readonly [key: string]: unknown };
}

/** What a tool says of itself to clients, by the names of MCP. */
export interface ToolAnnotations {
  /** The tool's name for people. */
  readonly title?: string;
  /** It changes nothing. @default false */
  readonly readOnlyHint?: boolean;
  /** What it changes may be lost. @default true */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more. @default false */
  readonly idempotentHint?: boolean;
  /** It deals with things outside of what the server knows, such as the web. @default true */
  readonly openWorldHint?: boolean;
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
  /** Names of the tools it holds for, in any case. @default every tool */
  readonly tools?: readonly string[];
  /** Where in `_meta` the id of the task stands. @default 'taskId' */
  readonly taskIdKey?: string;
  /** Where results are looked for; there is one place. @default 'ui_prompts' */
  readonly resultSource?: 'ui_prompts';
  /** The name of the log. @default 'ui-prompts.jsonl' */
  readonly uiPromptFile?: string;
  /** How often the host looks, from 200 to 5000. @default 1000 */
  readonly pollIntervalMs?: number;
  /** What may stand before the id in a `requestId`; empty for nothing. @default the prefix of the contract */
  readonly requestIdPrefix?: string;
  /** The app's task store, below its data directory. @default none */
  readonly stateFileName?: string;
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
  /** `_meta` of the call, for tools with `keepMeta`. */
  readonly meta: { readonly [key: string]: Json };
}

/** A registered tool with its schemas ready. */
export interface ParsedServerTool extends ToolView {
  readonly definition: ServerTool;
  /** 0 when its calls are tasks from the start. */
  quickMs(): number;
  /** As `tools/list` shows it, without what differs between eras. */
  readonly listing: { readonly name: string; readonly inputSchema: Json; readonly [key: string]: unknown };
  /** Throws a text that says what is wrong with the arguments. */
  parseArgs(args: unknown): unknown;
}

/** What the server says of tools that say nothing themselves. */
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

/** What can be said of a tool only when it can be a task. Outside the modern era the work itself asks, and such a tool cannot. */
function checkNeverTask(tool: { readonly [Field in keyof ServerTool]?: unknown }, context: z.RefinementCtx): void {
  if (tool.task !== 'never' && !isForAppsOnly(tool)) return;
  const message = "only with task 'auto' or 'always'";
  const params: RefusalParams = { says: 'is "given"' };
  if (tool.queue) context.addIssue({ code: 'custom', path: ['queue'], message, params });
  if (tool.upfront) context.addIssue({ code: 'custom', path: ['upfront'], message, params });
  if (tool.stream) context.addIssue({ code: 'custom', path: ['stream'], message });
}

/** Checks a tool's options and prepares its schemas. */
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
    // A view waits for its answer on a line of its own, and knows no tasks.
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

/** What a tool of somebody else returns is theirs to answer for; clients must know all the same that it has a schema. */
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

/** A tool of somebody else has the name that it has, as long as it can be shown. */
function isName(name: unknown, tool: ServerTool | undefined): boolean {
  if (typeof name !== 'string') return false;
  return (tool?.listing ? /^[^\p{Cc}]{1,256}$/u : /^[A-Za-z0-9_.\-/]{1,128}$/).test(name);
}

function isListing(listing: unknown): boolean {
  return isObject(listing) && isObject(listing.inputSchema);
}

/** What only reads does no harm when it runs again, and is asked for what is true now. */
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
