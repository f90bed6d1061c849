/**
 * A call that may be over before a task of it could be written.
 *
 * It runs in the serving process, for `quickMs`. What it returns by then is the answer: nobody was told of anything before, so
 * there is nothing to keep. In every other case the run is aborted and counts for nothing, and the call becomes a task, which
 * begins from the start; so only tools that may be repeated have it.
 */
import type { Clock } from '../../clock.ts';
import type { ServerDialect } from '../../dialects/server-dialect.ts';
import type { RpcResult } from '../../dialects/server-port.ts';
import { KEY_META } from '../../dialects/shared/idempotency-key.ts';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { TaskError } from '../../errors.ts';
import { SHOWN_RESULT } from '../../limits.ts';
import { isRpcError, RPC_CODES } from '../../rpc-codes.ts';
import { toLeastBytes } from '../frames/json-size.ts';
import type { CheckedServerCall } from '../tasks/server-call.ts';
import { toCallResult } from '../tools/call-result.ts';
import { readKeptMeta, readTrace, toMetaLabel } from '../tools/kept-meta.ts';
import type { ServerTaskContext } from '../tools/server-tool.ts';

/** Whether the call may be answered without a task: nobody asked for one, by its key, its form or its questions. */
export function mayBeQuick({ tool, task, meta, requestState }: CheckedServerCall, dialect: ServerDialect): boolean {
  if (!tool.definition.quickMs || dialect.answersAtOnce !== true || tool.definition.upfront) return false;
  return task === undefined && meta[KEY_META] === undefined && requestState === undefined;
}

/** The result, if it is there in time; nothing when the call is to become a task. */
export async function runQuickly(call: CheckedServerCall, clock: Clock): Promise<RpcResult | undefined> {
  const ms = call.tool.quickMs();
  if (ms === 0) return undefined;
  const stop = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let cancelled: string | undefined;
  const stopTimer = clock.after(ms, () => stop.abort(becomesTask()));
  const stopListening = call.channel.onGone((gone) => {
    if (gone.kind === 'cancelled') cancelled = gone.reason ?? 'by its client';
    stop.abort(becomesTask());
  });
  try {
    const result = await Promise.race([run(call, stop), stopped]);
    if (cancelled !== undefined) throw new RpcFailure(RPC_CODES.REQUEST_CANCELLED, `Cancelled: ${cancelled}`);
    // It may have used its task, and returned all the same.
    return stop.signal.aborted ? undefined : result;
  } finally {
    stopTimer();
    stopListening();
  }
}

/** What fails is tried again as a task, which knows of retries and of how errors are told; an error of JSON-RPC is an answer. */
async function run(call: CheckedServerCall, stop: AbortController): Promise<RpcResult | undefined> {
  const { tool, stored } = call;
  try {
    const value = await tool.definition.run(tool.parseArgs(stored.input) as never, createContext(call, stop));
    const result = toCallResult(tool, value);
    const { textBytes, binaryBytes } = { ...SHOWN_RESULT, ...tool.definition.inlineResult };
    // What is to become a link is kept with a task.
    return toLeastBytes(result) <= Math.min(textBytes, binaryBytes) ? { ...result } : undefined;
  } catch (error) {
    if (isRpcError(error)) throw error;
    return undefined;
  }
}

/** A tool that uses its task gets one, and begins anew there. */
function createContext(call: CheckedServerCall, stop: AbortController): ServerTaskContext {
  const { caller, meta, stored, tool } = call;
  const leave = async (): Promise<never> => {
    const reason = becomesTask();
    stop.abort(reason);
    throw reason;
  };
  return {
    taskId: '',
    principal: caller.principal,
    attempt: 1,
    trace: readTrace(meta),
    estimateMs: undefined,
    labels: {},
    signal: stop.signal,
    upfront: stored.upfront,
    prepared: stored.prepared,
    meta: tool.definition.keepMeta === true ? readKeptMeta(toMetaLabel(meta)) : {},
    progress: leave,
    log: leave,
    stream: leave,
    ask: leave,
    step: leave,
    idle: leave,
    artifact: leave,
    spawn: leave,
  };
}

function becomesTask(): TaskError {
  return new TaskError('LEASE_LOST', 'the call becomes a task, and begins anew there');
}
