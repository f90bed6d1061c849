/** Apps of this contract have no cancel of the protocol's; some list a tool for it, and our own servers and gateways have tasks. */
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { HostPort, JsonObject } from '../host-port.ts';

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema?: Json;
}

export interface CancelOptions {
  readonly tool: string;
  readonly taskId: string;
  /** What the call carried. */
  readonly meta: JsonObject;
}

// The names apps use for the tool beside one that runs a window.
const WINDOW_CANCELS = ['window_stop', 'window_cancel', 'cancel', 'stop', 'abort'];
const CANCEL_META = ['cancel_tool', 'cancelTool', 'cancelTools', 'cancel_tools'];

// https://modelcontextprotocol.io/specification/2026-07-28: how a server says that it has tasks.
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How long a cancel is waited for; the work may go on without it. */
const CANCEL_MS = 2000;

/**
 * Cancels the task where the server has tasks, or calls the tool that cancels; says whether the server took it. A gateway lists the
 * tools of the app behind it, which knows the work by another id: so the task comes first.
 */
export async function cancelByTool(
  options: CancelOptions,
  port: HostPort,
  tools?: readonly ListedTool[],
): Promise<boolean> {
  const giveUp = new AbortController();
  const stop = port.clock.after(CANCEL_MS, () => giveUp.abort());
  const late = new Promise<false>((resolve) => {
    giveUp.signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  try {
    return await Promise.race([cancel(options, { port, tools, signal: giveUp.signal }), late]);
  } catch {
    // What goes wrong is no reason to wait on.
    return false;
  } finally {
    stop();
  }
}

interface Cancelling {
  readonly port: HostPort;
  readonly tools: readonly ListedTool[] | undefined;
  readonly signal: AbortSignal;
}

async function cancel(options: CancelOptions, { port, tools, signal }: Cancelling): Promise<boolean> {
  if (await cancelAsTask(options, port, signal)) return true;
  const tool = findCancelTool(tools ?? (await listTools(port)), options);
  return tool ? callCancelTool(tool, options, { port, signal }) : false;
}

/** The tool that cancels a call of `tool`: the one the call's `_meta` names, else one beside it; only if it is listed. */
export function findCancelTool(tools: readonly ListedTool[], options: CancelOptions): ListedTool | undefined {
  const { tool, meta } = options;
  const named = CANCEL_META.flatMap((key) => meta[key] ?? []).flat();
  const stem = /^(.*)_run$/i.exec(tool)?.[1];
  const beside = stem === undefined ? [] : [`${stem}_stop`, `${stem}_cancel`];
  const ofWindow = tool.toLowerCase().includes('window_run') ? WINDOW_CANCELS : [];
  for (const candidate of [...named, ...beside, ...ofWindow]) {
    const name = typeof candidate === 'string' ? candidate.trim().toLowerCase() : '';
    const found = tools.find((one) => one.name.toLowerCase() === name && one.name !== tool);
    if (found) return found;
  }
  return undefined;
}

async function callCancelTool(
  tool: ListedTool,
  options: CancelOptions,
  { port, signal }: Pick<Cancelling, 'port' | 'signal'>,
): Promise<boolean> {
  // Its answer is waited for on the line, not in the log.
  const { asyncTask: _of, ...meta } = options.meta;
  const params = { name: tool.name, arguments: toArguments(tool, options), _meta: { ...meta, stream: false } };
  const reply = await port.request('tools/call', params, { signal });
  return reply.kind === 'result' && reply.result.isError !== true;
}

/** Cancels the id as that of a task, which it is on our own servers. */
async function cancelAsTask({ taskId }: CancelOptions, port: HostPort, signal: AbortSignal): Promise<boolean> {
  const { tasks, extensions } = port.server.capabilities;
  const hasTasks = isObject(tasks) || (isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined);
  if (!hasTasks) return false;
  return (await port.request('tasks/cancel', { taskId }, { signal })).kind === 'result';
}

// Apps name the same thing in several ways. A tool that takes only what it lists gets only that.
function toArguments({ inputSchema }: ListedTool, { taskId, meta }: CancelOptions): JsonObject {
  const ids = ['taskId', 'task_id', 'requestId', 'request_id', 'jobId', 'job_id'].map((key) => [key, taskId]);
  const others = ['sessionId', 'windowId', 'window_id', 'toolCallId', 'tool_call_id'].flatMap((key) => {
    const value = meta[key];
    return typeof value === 'string' ? [[key, value]] : [];
  });
  const all: [string, string][] = [...ids, ...others].map(([key = '', value = '']) => [key, value]);
  if (!isObject(inputSchema) || inputSchema.additionalProperties !== false) return Object.fromEntries(all);
  const listed = isObject(inputSchema.properties) ? inputSchema.properties : {};
  return Object.fromEntries(all.filter(([key]) => Object.hasOwn(listed, key)));
}

const MAX_PAGES = 100;

async function listTools(port: HostPort): Promise<ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await port.request('tools/list', cursor === undefined ? {} : { cursor });
    if (reply.kind === 'error' || !Array.isArray(reply.result.tools)) break;
    for (const tool of reply.result.tools) {
      if (isObject(tool) && typeof tool.name === 'string') tools.push(tool as JsonObject & ListedTool);
    }
    cursor = reply.result.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return tools;
}
