/** Streamed calls, for hosts: the answer is an acknowledgement, and notifications tell the run. */
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
  /** What the call carried, for its cancel. */
  readonly meta: JsonObject;
  /** The task behind it, on servers that have tasks. */
  readonly taskId?: string;
  /** What its server calls it, as far as it has said. */
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

/** What of a call decides whether its answer is only an acknowledgement. */
export interface StreamedCall extends Pick<StreamHandle, 'rpcId' | 'tool' | 'meta'> {
  /** Its run was told of, or the tool is known to stream: then any answer that is no error is an acknowledgement. */
  readonly isStreamed: boolean;
}

/** The handle in the answer to a call; nothing when it is another answer. */
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
  const joiner = early instanceof EarlyStream ? early.take() : undefined;
  const task = findTask(handle, port);
  return task ? followStreamTask(handle, port, { task, joiner }) : followStream(handle, port, joiner);
}

/** Stops the run: as a task where it is one, else by the server's tool for that; false when it was not taken. */
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

/** A server of ours says itself when it streams; another one has done so, or is expected to. */
function toStreamed(answer: DialectAnswer): StreamedCall {
  const { server, spec, tool, meta, rpcId, early } = answer;
  const isTold = early instanceof EarlyStream && early.isTold && spec.stream !== false && meta.stream !== false;
  return { rpcId, tool, meta, isStreamed: !isHoldfast(server) && (isTold || isExpected(answer)) };
}

function isExpected({ tool, meta, spec }: OutgoingCall): boolean {
  return expectsStream({ tool, meta, option: spec.stream as StreamOption | undefined });
}
