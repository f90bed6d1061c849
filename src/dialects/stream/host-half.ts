/** Streamed calls, for hosts: the answer is an acknowledgement, and notifications report the run. */
import type { Json } from '../../task/json.ts';
import type { DialectAnswer, EarlyListener, HostDialect, OutgoingCall } from '../host-dialect.ts';
import type { CallHandle, CallOutcome, HostPort, JsonObject } from '../host-port.ts';
import { isHoldfast } from '../shared/holdfast-server.ts';
import type { StreamOption } from '../spec-fields.ts';
import { EarlyStream } from './early-stream.ts';
import { expectsStream, isStreamOption } from './expect-stream.ts';

export interface StreamHandle extends CallHandle {
  readonly dialect: 'stream';
  /** The id of the request that started it, as a text. */
  readonly rpcId: string;
  readonly tool: string;
  /** The `_meta` of the call, for its cancel. */
  readonly meta: JsonObject;
  /** The task behind it, on servers that have tasks. */
  readonly taskId?: string;
  /** The ids that its server uses for it, as far as the server has sent them. */
  readonly runId?: string;
  readonly requestId?: string;
  readonly windowId?: string;
}

export const streamHost: HostDialect<StreamHandle> = {
  name: 'stream',
  specFields: { stream: { expected: 'true, false or { tools: […] }', isValid: isStreamOption } },
  dress: (call) => (isExpected(call) ? { _meta: { stream: true } } : undefined),
  listen: (options) => new EarlyStream(options),
  read: (answer) => readStream(answer.result, toStreamed(answer)),
  follow,
  cancel,
};

/** The properties of a call that decide whether its answer is only an acknowledgement. */
export interface StreamedCall extends Pick<StreamHandle, 'rpcId' | 'tool' | 'meta'> {
  /** Notifications of its run arrived, or the tool is known to stream: any answer without an error is an acknowledgement. */
  readonly isStreamed: boolean;
}

/** Returns the handle in the answer to a call; undefined when the answer is not an acknowledgement. */
export function readStream(result: JsonObject, call: StreamedCall): StreamHandle | undefined {
  const { isStreamed, ...known } = call;
  if (result.isError === true) return undefined;
  const { taskId, stream } = (result.structuredContent ?? {}) as { readonly [key: string]: Json };
  const { method } = (stream ?? {}) as { readonly [key: string]: Json };
  const isOurs = typeof taskId === 'string' && typeof method === 'string' && /\.window_run\.stream$/.test(method);
  if (isOurs) return { dialect: 'stream', ...known, taskId };
  return isStreamed ? { dialect: 'stream', ...known } : undefined;
}

async function follow(handle: StreamHandle, port: HostPort, early?: EarlyListener): Promise<CallOutcome> {
  const { followStream, followStreamTask } = await import('./host-follow.ts');
  const assembler = early instanceof EarlyStream ? early.take() : undefined;
  const task = findTask(handle, port);
  return task ? followStreamTask(handle, port, { task, assembler }) : followStream(handle, port, assembler);
}

/** Stops the run: as a task where it is one, else with the server's cancel tool; false when the server refused. */
async function cancel(handle: StreamHandle, port: HostPort): Promise<boolean> {
  const task = findTask(handle, port);
  if (task) return task.cancel();
  const { tool, requestId, runId, windowId, rpcId } = handle;
  const meta = { ...handle.meta, ...(runId !== undefined && { runId }), ...(windowId !== undefined && { windowId }) };
  const { cancelByTool } = await import('../shared/cancel-tool.ts');
  return cancelByTool({ tool, taskId: requestId ?? rpcId, meta }, port);
}

function findTask({ taskId }: StreamHandle, port: HostPort) {
  return taskId === undefined ? undefined : port.findTask?.(taskId);
}

/** Our own servers declare that they stream; of any other it is assumed after notifications arrived, or if it is expected. */
function toStreamed(answer: DialectAnswer): StreamedCall {
  const { server, spec, tool, meta, rpcId, early } = answer;
  const isStreaming =
    early instanceof EarlyStream && early.hasNotifications && spec.stream !== false && meta.stream !== false;
  return { rpcId, tool, meta, isStreamed: !isHoldfast(server) && (isStreaming || isExpected(answer)) };
}

function isExpected({ tool, meta, spec }: OutgoingCall): boolean {
  return expectsStream({ tool, meta, option: spec.stream as StreamOption | undefined });
}
