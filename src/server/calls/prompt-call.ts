/** Calls that are acknowledged at once and answered through the log of prompts. */

import { parseAsyncTask } from '../../dialects/ui-prompts/async-task.ts';
import {
  type PromptPlace,
  publishResult,
  readTaskId,
  showStored,
  toAck,
  toPromptDelivery,
} from '../../dialects/ui-prompts/server.ts';
import type { ToolResult } from '../../dialects/wire-outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Task } from '../../task/record.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool, StoredCall } from '../tools/server-tool.ts';
import type { IncomingCall } from './caller.ts';
import { callDirectly } from './direct-call.ts';
import { findPromptConfig, toPromptPlace } from './prompt-place.ts';
import { type RpcResult, submitCall } from './submit-call.ts';

interface CheckedCall {
  readonly call: IncomingCall;
  readonly args: StoredCall;
}

/** Writes the task under the host's id and acknowledges it. The same id again joins the first task. */
export async function answerByPrompt(
  parts: ServerParts,
  tool: ParsedServerTool,
  { call, args }: CheckedCall,
): Promise<RpcResult> {
  const { taskId, place } = await readPlace(parts, tool, call);
  const options = { alias: taskId, deliver: [toPromptDelivery(place)] };
  const { engine, task } = await submitCall(parts, call, { args, dialect: 'ui-prompts', options });
  show(parts, { engine, task, place });
  return { ...toAck(taskId, parts.settings.ackText) };
}

/** The same for a tool that is never a task: it runs here and now, and its prompt is written before the answer. */
export async function answerDirectlyByPrompt(
  parts: ServerParts,
  tool: ParsedServerTool,
  { call, args }: CheckedCall,
): Promise<RpcResult> {
  const { taskId, place } = await readPlace(parts, tool, call);
  const { progressToken: _unused, ...channel } = call.channel;
  const result = await callDirectly(tool, { ...call, channel: { ...channel, log: async () => {} } }, args);
  await publishResult({ ...place, taskId }, { tool: tool.name, result: result as ToolResult });
  return { ...toAck(taskId, parts.settings.ackText) };
}

async function readPlace(parts: ServerParts, tool: ParsedServerTool, call: IncomingCall) {
  const config = findPromptConfig(parts, tool, call) ?? parseAsyncTask({});
  const taskId = readTaskId(call.meta, config.taskIdKey);
  return { taskId, place: await toPromptPlace(parts, call, { config, taskId }) };
}

/** The task store is there to be looked at; what goes wrong with it is no reason to refuse the work. */
function show(parts: ServerParts, shown: { engine: Engine; task: Task; place: PromptPlace }): void {
  const { engine, task, place } = shown;
  if (place.store === undefined) return;
  const { taskId, principal } = task;
  const follow = async () => {
    await showStored(place, task);
    for await (const { type } of engine.watch(taskId, { principal })) {
      if (type === 'ended') return;
      if (type === 'claimed' || type === 'requeued') await showStored(place, await engine.get(taskId, { principal }));
    }
  };
  follow().catch(parts.report);
}
