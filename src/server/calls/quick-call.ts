/**
 * A call that may finish before its task could even be written.
 *
 * It runs in the serving process for up to `quickMs`. What it returns by then is the answer: no client or store knows
 * of the call yet, so nothing needs to be kept. Otherwise the run is aborted and does not count, and the call becomes a
 * task that starts from the beginning; so only repeatable tools have this.
 */
import type { Clock } from '../../clock.ts';
import type { ServerDialect } from '../../dialects/server-dialect.ts';
import type { RpcResult } from '../../dialects/server-port.ts';
import { KEY_META } from '../../dialects/shared/idempotency-key.ts';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { TaskError } from '../../errors.ts';
import { SHOWN_RESULT } from '../../limits.ts';
import { isRpcError, RPC_CODES } from '../../rpc-codes.ts';
import { toMinJsonBytes } from '../frames/json-size.ts';
import type { CheckedServerCall } from '../tasks/server-call.ts';
import { toCallResult } from '../tools/call-result.ts';
import type { ServerTaskContext } from '../tools/server-tool.ts';
import { readStoredMeta, readTrace, toMetaLabel } from '../tools/stored-meta.ts';

/**
 * Whether the call may be answered without a task: neither it (key, `task`, `requestState`) nor its tool (`upfront`)
 * requires one.
 */
export function canRunQuickly({ tool, task, meta, requestState }: CheckedServerCall, dialect: ServerDialect): boolean {
  if (!tool.definition.quickMs || dialect.answersAtOnce !== true || tool.definition.upfront) return false;
  return task === undefined && meta[KEY_META] === undefined && requestState === undefined;
}

/** Returns the result if it is ready in time; undefined when the call must become a task. */
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
    // The tool may have used its task and returned nevertheless.
    return stop.signal.aborted ? undefined : result;
  } finally {
    stopTimer();
    stopListening();
  }
}

/**
 * Runs the tool. A failure returns nothing: as a task the call gets retries and error reporting. A JSON-RPC error is an
 * answer.
 */
async function run(call: CheckedServerCall, stop: AbortController): Promise<RpcResult | undefined> {
  const { tool, stored } = call;
  try {
    const value = await tool.definition.run(tool.parseArgs(stored.input) as never, createContext(call, stop));
    const result = toCallResult(tool, value);
    const { textBytes, binaryBytes } = { ...SHOWN_RESULT, ...tool.definition.inlineResult };
    // A result that will become a link needs a task to be stored with.
    return toMinJsonBytes(result) <= Math.min(textBytes, binaryBytes) ? { ...result } : undefined;
  } catch (error) {
    if (isRpcError(error)) throw error;
    return undefined;
  }
}

/** A context whose task methods abort the quick run: a tool that uses its task becomes one, and restarts there. */
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
    meta: tool.definition.keepMeta === true ? readStoredMeta(toMetaLabel(meta)) : {},
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
