import type { IncomingCall, RequestChannel, RpcResult, StoredCall } from '../../dialects/server-port.ts';
import { toLogData } from '../../dialects/shared/log-data.ts';
import { toErrorResult } from '../../dialects/shared/outcomes/text-result.ts';
import type { TaskContext } from '../../engine/attempts/context.ts';
import { toTaskProcess } from '../../engine/attempts/task-processes.ts';
import { toJson } from '../../engine/attempts/verdict.ts';
import { TaskError } from '../../errors.ts';
import { MAX_RESULT_BYTES } from '../../limits.ts';
import { endGroup, spawnGated } from '../../process/process-group.ts';
import type { ProcessRef } from '../../process/process-ref.ts';
import { toCallResult } from '../tools/call-result.ts';
import type { ParsedServerTool, ServerTaskContext } from '../tools/server-tool.ts';
import { readTrace } from '../tools/stored-meta.ts';
import { checkResultSize } from './result-size.ts';

/** A call of a tool that is never a task. */
export interface DirectCall extends Pick<IncomingCall, 'caller' | 'meta'> {
  readonly tool: ParsedServerTool;
  readonly stored: StoredCall;
  readonly channel: RequestChannel;
}

/** Runs a `never` tool in this process, on the channel of its call, without a store. */
export async function callDirectly(call: DirectCall): Promise<RpcResult> {
  const { tool, stored } = call;
  const controller = new AbortController();
  const stopListening = call.channel.onGone((gone) => {
    const reason = gone.kind === 'cancelled' ? gone.reason : 'the client went away';
    controller.abort(new TaskError('CANCELLED', reason));
  });
  const groups: ProcessRef[] = [];
  try {
    const context = createDirectContext(call, { signal: controller.signal, groups });
    const value = await tool.definition.run(tool.parseArgs(stored.input) as never, context);
    return { ...checkResultSize(toCallResult(tool, value), tool.definition.maxResultBytes ?? MAX_RESULT_BYTES) };
  } catch (error) {
    // An error with a numeric code is sent as a JSON-RPC error; any other is the tool's result, for the model to read.
    if (typeof (error as { code?: unknown } | null)?.code === 'number') throw error;
    return { ...toErrorResult(error instanceof Error ? error.message : String(error)) };
  } finally {
    stopListening();
    await Promise.all(groups.map((ref) => endGroup(ref, { graceMs: 2000 })));
  }
}

interface DirectParts {
  readonly signal: AbortSignal;
  readonly groups: ProcessRef[];
}

function createDirectContext(
  { channel, caller, stored, meta }: DirectCall,
  { signal, groups }: DirectParts,
): ServerTaskContext {
  const context: Omit<TaskContext, 'ask'> & { ask(): Promise<never> } = {
    taskId: '',
    principal: caller.principal,
    attempt: 1,
    trace: readTrace(meta),
    estimateMs: undefined,
    labels: {},
    signal,
    async progress(value, message) {
      if (channel.progressToken === undefined) return;
      const params = {
        progressToken: channel.progressToken,
        progress: value,
        ...(message !== undefined && { message }),
      };
      await channel.notify('notifications/progress', value <= 1 ? { ...params, total: 1 } : params);
    },
    log: (level, message, data) => channel.log(level, toLogData({ message, ...(data !== undefined && { data }) })),
    stream: async () => {},
    async ask() {
      throw new TaskError('INVALID_ARGUMENT', "a tool with task: 'never' cannot ask: make it 'auto'");
    },
    // Converted to JSON and back, as in a task.
    step: async (_name, fn) => toJson(await fn(), MAX_RESULT_BYTES) as never,
    async artifact() {
      throw new TaskError('INVALID_ARGUMENT', "a tool with task: 'never' keeps nothing: make it 'auto'");
    },
    idle: (wait) => wait(),
    async spawn(command, args = [], options = {}) {
      const { child, ref, release } = await spawnGated(command, args, options);
      groups.push(ref);
      release();
      return toTaskProcess(child);
    },
  };
  return { ...context, upfront: stored.upfront, prepared: stored.prepared, meta } as ServerTaskContext;
}
