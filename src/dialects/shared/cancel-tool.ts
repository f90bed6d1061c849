/**
 * Cancels work of apps that have no cancel in their protocol: some list a tool for it, and our own servers and gateways
 * have tasks.
 */
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
  /** The `_meta` of the call. */
  readonly meta: JsonObject;
}

// Names that apps use for the cancel tool that belongs to a tool that runs a window.
const WINDOW_CANCELS = ['window_stop', 'window_cancel', 'cancel', 'stop', 'abort'];
const CANCEL_META = ['cancel_tool', 'cancelTool', 'cancelTools', 'cancel_tools'];

// https://modelcontextprotocol.io/specification/2026-07-28: how a server declares that it has tasks.
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How long a cancel is waited for, in ms; the work may continue without it. */
const CANCEL_MS = 2000;

/**
 * Cancels the task where the server has tasks, or calls the tool that cancels; resolves with whether the server
 * accepted it. A gateway lists the tools of the app behind it, which knows the work by another id: so the task comes
 * first.
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
    // A failed cancel is not waited for any longer.
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

/**
 * Returns the tool that cancels a call of `tool`: the one that the call's `_meta` names, else one with a matching name;
 * only if it is listed.
 */
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
  // The answer to the cancel comes as the response, not through the prompt log.
  const { asyncTask: _of, ...meta } = options.meta;
  const params = { name: tool.name, arguments: toArguments(tool, options), _meta: { ...meta, stream: false } };
  const reply = await port.request('tools/call', params, { signal });
  return reply.kind === 'result' && reply.result.isError !== true;
}

/** Cancels the id as a task id, which it is on our own servers. */
async function cancelAsTask({ taskId }: CancelOptions, port: HostPort, signal: AbortSignal): Promise<boolean> {
  const { tasks, extensions } = port.server.capabilities;
  const hasTasks = isObject(tasks) || (isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined);
  if (!hasTasks) return false;
  return (await port.request('tasks/cancel', { taskId }, { signal })).kind === 'result';
}

// Apps name the same id in several ways. A tool that accepts only its declared properties gets only those.
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
