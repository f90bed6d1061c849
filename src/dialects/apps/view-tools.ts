/** The tools that a view calls. Hosts show them only to views; any other caller can reach only its own tasks, as everywhere. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import { MAX_VALIDATION_ERROR_LENGTH } from '../../limits.ts';
import type { Json } from '../../task/json.ts';
import type { Answer } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ToolListing } from '../server-dialect.ts';
import type { Caller, IncomingCall, RpcResult, ServerPort } from '../server-port.ts';
import { toClientMessage } from '../shared/outcomes/public-error.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import { toErrorResult, toTextResult } from '../shared/outcomes/text-result.ts';
import { readInput } from '../shared/stored-call.ts';
import { toTaskView } from './task-view.ts';
import { ACT_TOOL, VIEW_TOOL, type ViewAnswer, type ViewRefusal } from './wire.ts';

const JsonObject = z.record(z.string(), z.unknown());

const ViewArgs = z
  .strictObject({
    task_id: z.string().min(1).optional(),
    tool: z.string().min(1).optional(),
    arguments: JsonObject.optional(),
  })
  .refine(({ task_id, tool }) => (task_id === undefined) !== (tool === undefined), 'expected either task_id or tool');

const ActArgs = z
  .strictObject({
    task_id: z.string().min(1),
    action: z.enum(['accept', 'decline', 'cancel', 'stop']),
    key: z.string().optional(),
    content: JsonObject.optional(),
  })
  .refine(({ action, key }) => (action === 'stop') === (key === undefined), 'expected key, and only for a question');

interface ViewTool {
  readonly description: string;
  readonly input: z.ZodType;
  readonly annotations: { readonly [hint: string]: boolean };
  run(engine: Engine, caller: Caller, args: never): Promise<Task | undefined>;
}

const TOOLS: Readonly<Record<string, ViewTool>> = {
  [VIEW_TOOL]: {
    description: 'Tells the view of a call how far the call is.',
    input: ViewArgs,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: findTask,
  },
  [ACT_TOOL]: {
    description: 'Gives the answer of a person at the view of a call to a question, or stops the call.',
    input: ActArgs,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    run: actOnTask,
  },
};

const LISTINGS: readonly ToolListing[] = Object.entries(TOOLS).map(([name, { description, input, annotations }]) => {
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema, annotations, _meta: { ui: { visibility: ['app'] } } };
});

/** Returns the tools as `tools/list` shows them to clients that show views. */
export function listViewTools(): readonly ToolListing[] {
  return LISTINGS;
}

/** Calls one of the view tools; undefined when another tool is called. */
export function callViewTool(port: ServerPort, call: IncomingCall): Promise<RpcResult> | undefined {
  const tool = Object.hasOwn(TOOLS, call.name) ? TOOLS[call.name] : undefined;
  return tool && answerView(port, call, tool);
}

async function answerView(port: ServerPort, call: IncomingCall, tool: ViewTool): Promise<RpcResult> {
  if (!port.hasTasks()) throw invalidParams(`Unknown tool: ${call.name}`);
  try {
    const engine = await port.openEngine();
    const task = await tool.run(engine, call.caller, readArgs(call, tool) as never);
    const now = engine.now();
    const answer: ViewAnswer = { now, ...(task && { task: toTaskView(task, now) }) };
    return { ...toTextResult(task?.status ?? 'nothing'), structuredContent: answer };
  } catch (error) {
    if (!isTaskError(error)) throw error;
    const refusal: ViewRefusal = { code: error.code };
    return { ...toErrorResult(toClientMessage(port, call.caller, error)), structuredContent: refusal };
  }
}

function readArgs({ name, args }: IncomingCall, { input }: ViewTool): unknown {
  const parsed = input.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const why = shorten(z.prettifyError(parsed.error), MAX_VALIDATION_ERROR_LENGTH);
  throw new TaskError('INVALID_ARGUMENT', `Invalid arguments for tool ${name}: ${why}`);
}

// A running call is among the newest of its tool.
const LOOKED_AT = 20;

/** Finds the task by its id, or as the newest running call with these arguments, for a view that does not know the id yet. */
async function findTask(engine: Engine, { principal }: Caller, args: z.output<typeof ViewArgs>) {
  if (args.task_id !== undefined) return engine.get(args.task_id, { principal });
  const { tool = '', arguments: given = {} } = args;
  const { tasks } = await engine.list({ tool, identity: engine.identity, limit: LOOKED_AT }, { principal });
  return tasks.find((task) => !isTerminal(task.status) && isDeepStrictEqual(readInput(task), given));
}

async function actOnTask(engine: Engine, { principal, client }: Caller, args: z.output<typeof ActArgs>): Promise<Task> {
  const { task_id, action, key = '', content } = args;
  const options = { principal, client };
  if (action === 'stop') return (await engine.cancel(task_id, { ...options, reason: 'cancelled by the user' })).task;
  const answer: Answer =
    action === 'accept' ? { action, ...(content !== undefined && { content: content as Json }) } : { action };
  const { accepted, task } = await engine.answer(task_id, { [key]: answer }, options);
  if (accepted.length > 0) return task;
  throw new TaskError('QUESTION_NOT_OPEN', `question ${JSON.stringify(key)} is not open any more`);
}
