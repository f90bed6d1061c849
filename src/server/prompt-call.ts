/** Calls that are acknowledged at once and answered through the log of prompts. */
import { homedir } from 'node:os';
import { type AsyncTaskConfig, findAsyncTask, parseAsyncTask } from '../dialects/ui-prompts/async-task.ts';
import { resolveInside } from '../dialects/ui-prompts/confine.ts';
import { PROMPT_TOPIC, type PromptPlace, readTaskId, showStored, toAck } from '../dialects/ui-prompts/server.ts';
import { isObject } from '../dialects/ui-prompts/wire.ts';
import type { Engine } from '../engine/engine.ts';
import { TaskError } from '../errors.ts';
import type { Task } from '../task/record.ts';
import type { IncomingCall } from './caller.ts';
import type { ServerParts } from './server-parts.ts';
import type { CallArgs, ParsedServerTool } from './server-tool.ts';
import { type RpcResult, submitCall } from './submit-call.ts';

/** How the call is to be answered through the log; nothing when it is not. */
export function findPromptConfig(tool: ParsedServerTool, { meta }: IncomingCall): AsyncTaskConfig | undefined {
  const asked = findAsyncTask(meta as never, tool.name);
  if (asked) return asked;
  const { asyncTask } = tool.tool;
  if (asyncTask === undefined || asyncTask === false) return undefined;
  return parseAsyncTask(asyncTask === true ? {} : asyncTask);
}

/** Writes the task under the host's id and acknowledges it. The same id again joins the first task. */
export async function answerByPrompt(
  parts: ServerParts,
  tool: ParsedServerTool,
  { call, args }: { readonly call: IncomingCall; readonly args: CallArgs },
): Promise<RpcResult> {
  const config = findPromptConfig(tool, call) ?? parseAsyncTask({});
  const taskId = readTaskId(call.meta, config.taskIdKey);
  const place = await toPlace(parts, call, { config, taskId });
  const options = { alias: taskId, deliver: [{ topic: PROMPT_TOPIC, data: place }] };
  const { engine, task } = await submitCall(parts, call, { args, dialect: 'ui-prompts', options });
  show(parts, { engine, task, place });
  return { ...toAck(taskId, parts.settings.ackText) };
}

interface Wanted {
  readonly config: AsyncTaskConfig;
  readonly taskId: string;
}

/** A client's directory counts only inside the roots that the owner chose; else the server's own is used. */
async function toPlace(parts: ServerParts, { meta }: IncomingCall, { config, taskId }: Wanted): Promise<PromptPlace> {
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const uiApp = isObject(chatos.uiApp) ? chatos.uiApp : {};
  const { directory } = await parts.openEngine();
  const stateDir = (await findInside(parts, uiApp.stateDir)) ?? directory;
  if (stateDir === undefined) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      '_meta.chatos.uiApp.stateDir is not in promptRoots, and the store has no place on disk',
    );
  }
  const log = await resolveInside(stateDir, config.uiPromptFile, { field: 'asyncTask.uiPromptFile' });
  const dataDir = await findInside(parts, uiApp.dataDir);
  const { stateFileName } = config;
  if (dataDir === undefined || stateFileName === undefined) return { taskId, log };
  return { taskId, log, store: await resolveInside(dataDir, stateFileName, { field: 'asyncTask.stateFileName' }) };
}

async function findInside({ settings }: ServerParts, path: unknown): Promise<string | undefined> {
  if (typeof path !== 'string' || path === '') return undefined;
  for (const root of settings.promptRoots ?? [homedir()]) {
    const inside = resolveInside(root, path, { field: 'stateDir', allowAbsolute: true });
    const found = await inside.catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The task store is there to be looked at; what goes wrong with it is no reason to refuse the work. */
function show(parts: ServerParts, shown: { engine: Engine; task: Task; place: PromptPlace }): void {
  const { engine, task, place } = shown;
  if (place.store === undefined) return;
  const follow = async () => {
    const { taskId, principal } = task;
    await showStored(place, task);
    for await (const event of engine.watch(taskId, { principal })) {
      if (event.type === 'ended') return;
      if (event.type === 'claimed') await showStored(place, { ...task, status: 'working', startedAt: event.at });
    }
  };
  follow().catch(parts.report);
}
