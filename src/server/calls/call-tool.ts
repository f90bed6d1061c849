/**
 * One `tools/call`, from the request to its answer.
 *
 * Which dialect the answer speaks is decided once. The work is submitted before anything is answered, and it is never
 * started again because the answer changed its dialect.
 */

import { toDirectReport, toStage1, toStage1Result } from '../../dialects/job/wire.ts';
import { RpcFailure } from '../../dialects/rpc-failure.ts';
import { toCreateTaskResult as toCreated2025 } from '../../dialects/tasks-2025/wire.ts';
import { toCreateTaskResult as toCreated2026, toMissingExtension } from '../../dialects/tasks-2026/wire.ts';
import type { ToolResult } from '../../dialects/wire-outcome.ts';
import { cut } from '../../engine/value-text.ts';
import { MAX_COMPLAINT_LENGTH } from '../../limits.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { parseTtl } from '../../task/ttl.ts';
import { handOverAfterMs } from '../clients/hand-over-time.ts';
import { invalidParams } from '../sdk/rpc-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { findCompanion } from '../tools/companion-names.ts';
import { callCompanion } from '../tools/companion-tools.ts';
import type { ParsedServerTool, StoredCall } from '../tools/server-tool.ts';
import { toErrorResult } from './call-result.ts';
import type { IncomingCall } from './caller.ts';
import { chooseDialect, type DialectName, hidesOutputSchemas, isBareJob } from './choose-dialect.ts';
import { callDirectly } from './direct-call.ts';
import { holdCall, resumeHeldCall } from './held-call.ts';
import { toJobMark } from './job-end.ts';
import { answerByPrompt, answerDirectlyByPrompt } from './prompt-call.ts';
import { resumeStream } from './resume-stream.ts';
import { answerByStream } from './stream-call.ts';
import { type RpcResult, type Submitted, submitCall, toFinalResult } from './submit-call.ts';
import { submitHeld } from './submit-held.ts';
import { askUpfront, toForeignState } from './upfront.ts';
import { waitBriefly } from './wait-briefly.ts';

export async function callTool(parts: ServerParts, call: IncomingCall): Promise<RpcResult> {
  if (call.resumed) return resumeStream(parts, call, call.resumed);
  const companion = findCompanion(call.name, parts.settings.companionPrefix);
  if (companion) return callCompanion(parts, call, companion);
  const tool = parts.tools.get(call.name);
  if (!tool) throw invalidParams(`Unknown tool: ${call.name}`);
  const dialect = chooseDialect(parts, tool, call);
  checkDialect(tool, call, dialect);
  const held = await resumeHeldCall(parts, call);
  if (held) return holdCall(parts, call, held);
  if (call.requestState !== undefined && !tool.definition.upfront) throw toForeignState();
  const prepared = await tool.definition.prepare?.({ args: call.args ?? {}, meta: call.meta });
  try {
    tool.parseArgs(call.args);
  } catch (error) {
    const complaint = cut((error as Error).message, MAX_COMPLAINT_LENGTH);
    const refusal = toErrorResult(`Invalid arguments for tool ${tool.name}: ${complaint}`);
    return toDirectAnswer(parts, { call, dialect, result: { ...refusal } });
  }
  // Nobody answers a question in place of an acknowledgement: the work asks.
  const upfront = dialect === 'ui-prompts' ? NOT_ASKED : await askUpfront(parts, tool, call);
  if (upfront.kind === 'ask') return upfront.answer;
  const kept = prepared === undefined ? {} : { prepared };
  const args: StoredCall = { args: (call.args ?? {}) as Json, upfront: upfront.answers, ...kept };
  if (tool.taskMode !== 'never') return ANSWERS[dialect](parts, tool, { call, args });
  if (dialect === 'ui-prompts') return answerDirectlyByPrompt(parts, tool, { call, args });
  return toDirectAnswer(parts, { call, dialect, result: await callDirectly(tool, call, args) });
}

interface DirectAnswer {
  readonly call: IncomingCall;
  readonly dialect: DialectName;
  readonly result: RpcResult;
}

/** A client that takes jobs as bare objects knows no other form for what is answered at once. */
function toDirectAnswer(parts: ServerParts, { call, dialect, result }: DirectAnswer): RpcResult {
  const isBare = dialect === 'job' && isBareJob(parts, call) && 'content' in result;
  return isBare ? { ...toDirectReport(call.name, result as ToolResult) } : result;
}

const NOT_ASKED = { kind: 'answered', answers: {} } as const;

/** A task only for those who can take one; the specifications name the errors for the rest. */
function checkDialect(tool: ParsedServerTool, { caller, task }: IncomingCall, dialect: DialectName): void {
  if (tool.taskMode === 'never' && task !== undefined && caller.era === 'legacy') {
    throw new RpcFailure(-32601, `Tool ${tool.name} cannot be run as a task`);
  }
  if (tool.taskMode !== 'always' || dialect !== 'held') return;
  if (caller.era === 'modern') throw toMissingExtension();
  throw new RpcFailure(-32601, `Tool ${tool.name} can only be run as a task: send params.task`);
}

interface CheckedCall {
  readonly call: IncomingCall;
  readonly args: StoredCall;
}

type Reply = (parts: ServerParts, tool: ParsedServerTool, checked: CheckedCall) => Promise<RpcResult>;

const ANSWERS: Readonly<Record<DialectName, Reply>> = {
  async 'tasks-2025'(parts, _tool, { call, args }) {
    const ttl = call.task?.ttl;
    const options = ttl === undefined ? {} : { ttlMs: parseTtl(ttl) };
    const { engine, task } = await submitCall(parts, call, { args, dialect: 'tasks-2025', options });
    call.channel.follow?.(task);
    return toCreated2025(task, engine.now()) as unknown as RpcResult;
  },

  async 'tasks-2026'(parts, tool, { call, args }) {
    const submitted = await submitCall(parts, call, { args, dialect: 'tasks-2026' });
    if (tool.taskMode === 'always') return toCreated2026(submitted.task, submitted.engine.now());
    const task = await waitForHandle(parts, call, { submitted, ms: tool.inlineMs });
    return isTerminal(task.status) ? toFinalResult(task) : toCreated2026(task, submitted.engine.now());
  },

  async job(parts, tool, { call, args }) {
    const { task, hold } = await submitCall(parts, call, { args, dialect: 'job', options: toJobMark(call.caller) });
    await hold?.handOver();
    call.channel.followJob?.(task);
    const report = toStage1(task);
    if (isBareJob(parts, call)) return { ...report };
    // A client that was shown the schema of the result takes only an error without it.
    const isError = tool.parseOutput !== undefined && !hidesOutputSchemas(parts, call.caller);
    return { ...toStage1Result(report), ...(isError && { isError }) };
  },

  'ui-prompts': answerByPrompt,

  stream: answerByStream,

  async held(parts, tool, { call, args }) {
    return holdCall(parts, call, await submitHeld(parts, tool, { call, args }));
  },
};

interface Waiting {
  readonly submitted: Submitted;
  readonly ms: number;
}

/** Until it has the handle a client can only cancel the request. Once it has, only `tasks/cancel` ends the task. */
async function waitForHandle(parts: ServerParts, call: IncomingCall, { submitted, ms }: Waiting): Promise<Task> {
  const { channel } = call;
  const { client } = call.caller;
  const { engine, task } = submitted;
  const { taskId, principal } = task;
  const stopListening = channel.onGone((gone) => {
    if (gone.kind === 'cancelled') {
      engine.cancel(taskId, { principal, client, reason: gone.reason }).catch(parts.report);
    }
  });
  try {
    return await waitBriefly(submitted, { ms, maxMs: handOverAfterMs(parts, call), clock: parts.clock });
  } finally {
    stopListening();
  }
}
