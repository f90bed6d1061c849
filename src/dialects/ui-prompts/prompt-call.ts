/** Calls that are acknowledged at once and answered through the prompt log. */

import type { Engine } from '../../engine/engine.ts';
import type { Task } from '../../task/record.ts';
import type { CheckedCall, RpcResult, ServerPort } from '../server-port.ts';
import { parseAsyncTask } from '../shared/async-task.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { findPromptConfig } from '../shared/prompt-config.ts';
import { askByPrompt } from './ask-by-prompt.ts';
import { resolvePromptDestination } from './place/prompt-destination.ts';
import { type PromptDestination, publishResult, readTaskId, showStored, toAck, toPromptDelivery } from './server.ts';

export const PROMPTS = 'ui-prompts';

/** Writes the task under the host's id and acknowledges the call. A repeated id joins the first task. */
export async function answerByPrompt(call: CheckedCall, port: ServerPort): Promise<RpcResult> {
  const { taskId, place } = await readPlace(call, port);
  const options = { alias: taskId, deliver: [toPromptDelivery(place)] };
  const { engine, task } = await call.submit({ dialect: PROMPTS, options });
  show(port, { engine, task, place });
  askByPrompt({ engine, task, place, report: port.report }).catch(port.report);
  return { ...toAck(taskId, port.settings.ackText) };
}

/**
 * Like `answerByPrompt`, for a tool that is never a task: it runs during the call, and its prompt is written before the
 * answer.
 */
export async function answerDirectlyByPrompt(call: CheckedCall, port: ServerPort): Promise<RpcResult> {
  const { taskId, place } = await readPlace(call, port);
  const { progressToken: _unused, ...channel } = call.channel;
  const result = await call.runDirectly({ ...channel, log: async () => {} });
  await publishResult({ ...place, taskId }, { tool: call.tool.name, result: result as ToolResult });
  return { ...toAck(taskId, port.settings.ackText) };
}

async function readPlace(call: CheckedCall, port: ServerPort) {
  const config = findPromptConfig(call, port.settings) ?? parseAsyncTask({});
  const taskId = readTaskId(call.meta, config.taskIdKey);
  return { taskId, place: await resolvePromptDestination(port, call, { config, taskId }) };
}

/** Shows the task in the task store. The store only informs: its failure is no reason to reject the work. */
function show(port: ServerPort, shown: { engine: Engine; task: Task; place: PromptDestination }): void {
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
  follow().catch(port.report);
}
