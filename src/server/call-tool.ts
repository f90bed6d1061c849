/**
 * One `tools/call`, from the request to its answer.
 *
 * Which form the answer takes is decided once: what the call itself asks (`params.task`), else what the client declared
 * (the tasks extension), else the call is held. The work is submitted before anything is answered, and it is never
 * started again because the answer changed form.
 */

import { RpcFailure } from '../dialects/rpc-failure.ts';
import { toCreateTaskResult as toCreated2025 } from '../dialects/tasks-2025/wire.ts';
import { toCreateTaskResult as toCreated2026, toMissingExtension } from '../dialects/tasks-2026/wire.ts';
import type { Json } from '../task/json.ts';
import { isTerminal } from '../task/status.ts';
import { parseTtl } from '../task/ttl.ts';
import { toErrorResult } from './call-result.ts';
import type { IncomingCall } from './caller.ts';
import { callDirectly } from './direct-call.ts';
import { holdCall, resumeHeldCall } from './held-call.ts';
import { invalidParams } from './rpc-error.ts';
import type { ServerParts } from './server-parts.ts';
import type { CallArgs, ParsedServerTool } from './server-tool.ts';
import { type RpcResult, submitCall, toFinalResult, waitBriefly } from './submit-call.ts';
import { askUpfront, toForeignState } from './upfront.ts';

export async function callTool(parts: ServerParts, call: IncomingCall): Promise<RpcResult> {
  const tool = parts.tools.get(call.name);
  if (!tool) throw invalidParams(`Unknown tool: ${call.name}`);
  checkForm(tool, call);
  const held = await resumeHeldCall(parts, call);
  if (held) return holdCall(parts, call, held);
  if (call.requestState !== undefined && !tool.tool.upfront) throw toForeignState();
  try {
    tool.parseArgs(call.args);
  } catch (error) {
    return { ...toErrorResult(`Invalid arguments for tool ${tool.name}: ${(error as Error).message}`) };
  }
  const upfront = await askUpfront(parts, tool, call);
  if (upfront.kind === 'ask') return upfront.answer;
  const args: CallArgs = { args: (call.args ?? {}) as Json, upfront: upfront.answers };
  return tool.task === 'never' ? callDirectly(tool, call, args) : callAsTask(parts, tool, { call, args });
}

/** A task only for those who can take one; the specifications name the errors for the rest. */
function checkForm(tool: ParsedServerTool, { task, caller }: IncomingCall): void {
  if (caller.era === 'modern') {
    if (tool.task === 'always' && !caller.declaresTasks) throw toMissingExtension();
  } else if (task !== undefined && tool.task === 'never') {
    throw new RpcFailure(-32601, `Tool ${tool.name} cannot be run as a task`);
  } else if (task === undefined && tool.task === 'always') {
    throw new RpcFailure(-32601, `Tool ${tool.name} can only be run as a task: send params.task`);
  }
}

interface CheckedCall {
  readonly call: IncomingCall;
  readonly args: CallArgs;
}

async function callAsTask(parts: ServerParts, tool: ParsedServerTool, { call, args }: CheckedCall): Promise<RpcResult> {
  const { caller } = call;
  if (caller.era === 'legacy' && call.task !== undefined) {
    const ttl = call.task.ttl;
    const options = ttl === undefined ? {} : { ttlMs: parseTtl(ttl) };
    const { task } = await submitCall(parts, call, { args, dialect: 'tasks-2025', options });
    call.line.follow?.(task);
    return toCreated2025(task) as unknown as RpcResult;
  }
  if (caller.era === 'modern' && caller.declaresTasks) {
    const submitted = await submitCall(parts, call, { args, dialect: 'tasks-2026' });
    if (tool.task === 'always') return toCreated2026(submitted.task);
    const task = await waitBriefly(submitted, tool.inlineMs);
    return isTerminal(task.status) ? toFinalResult(task) : toCreated2026(task);
  }
  return holdCall(parts, call, await submitCall(parts, call, { args, dialect: 'held' }));
}
