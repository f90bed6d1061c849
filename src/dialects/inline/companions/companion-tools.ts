/**
 * Companion tools, for clients without tasks: to go on waiting for a call that was handed over, to answer its
 * questions, to stop it, and to find it again.
 */
import { z } from 'zod';
import type { Engine } from '../../../engine/engine.ts';
import { isTaskError, TaskError } from '../../../errors.ts';
import { COMPANION_READ_BYTES, MAX_VALIDATION_ERROR_LENGTH } from '../../../limits.ts';
import type { Json } from '../../../task/json.ts';
import { type Answer, isOpen } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { shorten } from '../../../text/cut-text.ts';
import type { ToolListing } from '../../server-dialect.ts';
import type { IncomingCall, RpcResult, ServerPort } from '../../server-port.ts';
import { toClientMessage } from '../../shared/outcomes/public-error.ts';
import { invalidParams } from '../../shared/outcomes/rpc-failure.ts';
import { toErrorResult, toTextResult } from '../../shared/outcomes/text-result.ts';
import { readInput } from '../../shared/stored-call.ts';
import { resumeHeldCall } from '../held-call.ts';
import { toEnded, toListed } from '../listed-task.ts';
import { claimHold } from '../queued-hold.ts';
import { AnswerArgs, CancelArgs, ListArgs, readContent, WaitArgs } from './companion-args.ts';
import type { CompanionName } from './companion-names.ts';
import { toShownPrefix } from './shown-prefix.ts';
import { waitForKnownTask } from './wait-for-known-task.ts';

interface Companion {
  readonly description: string;
  readonly input: z.ZodType;
  readonly annotations: { readonly [hint: string]: boolean };
  run(port: ServerPort, call: IncomingCall, args: never): Promise<RpcResult>;
}

const COMPANIONS: Readonly<Record<CompanionName, Companion>> = {
  task_wait: {
    description:
      'Waits for the result of a tool call that is still running, and returns it. When it takes longer, call it again with the turn it names.',
    input: WaitArgs,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: waitForTask,
  },
  task_answer: {
    description:
      'Gives the answer of the user to a question that a running tool call asks them, then waits for its result. Ask the user first; never choose an answer for them.',
    input: AnswerArgs,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    run: answerTask,
  },
  task_cancel: {
    description: 'Stops a tool call that is still running.',
    input: CancelArgs,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: cancelTask,
  },
  task_list: {
    description:
      'Lists tool calls that are still running or ended a short time ago, newest first, with their arguments and how to get each result. Use it to find a call again.',
    input: ListArgs,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: listTasks,
  },
};

const LISTINGS = Object.entries(COMPANIONS).map(([name, { description, input, annotations }]) => {
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema: inputSchema as Json, annotations };
});

/** Returns the companion tools as `tools/list` shows them. */
export function listCompanions(prefix: string): ToolListing[] {
  return LISTINGS.map((listing) => ({ ...listing, name: `${prefix}${listing.name}` }));
}

/** Calls a companion tool; failures are returned as text for the model. */
export async function callCompanion(port: ServerPort, call: IncomingCall, name: CompanionName): Promise<RpcResult> {
  const companion = COMPANIONS[name];
  // A server with only `never` tools has nothing to wait for and touches no store.
  if (!port.hasTasks()) throw invalidParams(`Unknown tool: ${call.name}`);
  const held = await resumeHeldCall(port, call);
  if (held) return waitForKnownTask(port, call, held);
  const args = companion.input.safeParse(call.args ?? {});
  if (!args.success)
    return fail(
      `Invalid arguments for tool ${call.name}: ${shorten(z.prettifyError(args.error), MAX_VALIDATION_ERROR_LENGTH)}`,
    );
  try {
    return await companion.run(port, call, args.data as never);
  } catch (error) {
    if (isTaskError(error)) return fail(toClientMessage(port, call.caller, error));
    throw error;
  }
}

async function waitForTask(
  port: ServerPort,
  call: IncomingCall,
  { task_id, wait_seconds, part, offset }: z.output<typeof WaitArgs>,
): Promise<RpcResult> {
  const engine = await port.openEngine();
  const { principal } = call.caller;
  if (part !== undefined || offset !== undefined) return readRange(engine, { task_id, part, offset, principal });
  const task = await engine.get(task_id, { principal });
  const hold = await claimHold(port, { engine, task });
  const waitMs = wait_seconds === undefined ? undefined : wait_seconds * 1000;
  const held = { engine, task, ...(hold && { hold }), ...(waitMs !== undefined && { waitMs }) };
  return waitForKnownTask(port, call, held);
}

interface RangeRequest extends Pick<z.output<typeof WaitArgs>, 'task_id' | 'part' | 'offset'> {
  readonly principal: string;
}

/** Reads the next range of a result that is too long for one answer. */
async function readRange(
  engine: Engine,
  { task_id, part = 'result', offset = 0, principal }: RangeRequest,
): Promise<RpcResult> {
  const read = await engine.artifact(task_id, part, { offset, limit: COMPANION_READ_BYTES, principal });
  const { mimeType, size, bytes, isText, nextOffset } = read;
  if (!isText) return fail(`${part} is ${mimeType} of ${size} bytes, and no text`);
  const more = nextOffset === undefined ? 'This is the end.' : `Go on with offset ${nextOffset} of ${size}.`;
  return { content: [...toTextResult(bytes.toString('utf8')).content, ...toTextResult(`[${more}]`).content] };
}

async function answerTask(
  port: ServerPort,
  call: IncomingCall,
  { task_id, key, action, content }: z.output<typeof AnswerArgs>,
): Promise<RpcResult> {
  const engine = await port.openEngine();
  const { principal, client } = call.caller;
  const asked = key ?? findOnlyKey(await engine.get(task_id, { principal }));
  const answer: Answer = action === 'accept' ? { action, content: readContent(port, content) } : { action };
  await engine.answer(task_id, { [asked]: answer }, { principal, client });
  return waitForTask(port, call, { task_id });
}

function findOnlyKey({ taskId, questions }: Task): string {
  const [first, ...others] = questions.filter(isOpen);
  if (first && others.length === 0) return first.key;
  if (!first) throw new TaskError('QUESTION_NOT_OPEN', `task ${taskId} has no open question`);
  const keys = [first, ...others].map((question) => question.key).join(', ');
  throw new TaskError('INVALID_ARGUMENT', `several questions are open; key is one of ${keys}`);
}

async function cancelTask(
  port: ServerPort,
  { caller }: IncomingCall,
  { task_id }: z.output<typeof CancelArgs>,
): Promise<RpcResult> {
  const { principal, client } = caller;
  const engine = await port.openEngine();
  const { cancelled, task } = await engine.cancel(task_id, { principal, client, reason: 'cancelled by the client' });
  return { ...toTextResult(cancelled ? `${task.tool} has been stopped.` : toEnded(task)) };
}

async function listTasks(
  port: ServerPort,
  { caller }: IncomingCall,
  { limit }: z.output<typeof ListArgs>,
): Promise<RpcResult> {
  const engine = await port.openEngine();
  const { tasks } = await engine.list({ limit, identity: engine.identity }, { principal: caller.principal });
  const options = { now: engine.now(), prefix: toShownPrefix(port, caller) };
  const lines = tasks.map((task) => toListed(task, { ...options, args: readInput(task) }));
  return { ...toTextResult(lines.length === 0 ? 'There are no tool calls.' : lines.join('\n')) };
}

function fail(text: string): RpcResult {
  return { ...toErrorResult(text) };
}
