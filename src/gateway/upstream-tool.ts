import type { HostTool, JsonObject } from '../host/index.ts';
import { type ServerTaskContext, type ServerTool, TaskError } from '../index.ts';
import { toUpstreamMeta } from './calls/call-meta.ts';
import { toResult, UpstreamError } from './calls/upstream-error.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { DecidedPolicy } from './policy.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

/** As long as any call is waited for before its client gets a handle. */
const QUICK_MS = 1000;

export interface ToolParts {
  readonly upstreams: Upstreams;
  readonly mirror: Mirror;
}

/** A tool of an upstream as a tool of the gateway: it looks the same, and its calls are tasks. */
export function toServerTool(
  { upstreams, mirror }: ToolParts,
  { upstream, tool }: { readonly upstream: string; readonly tool: HostTool },
  policy: DecidedPolicy,
): ServerTool {
  const { task: mode, inlineMs, idempotent, retry, maxRunMs, concurrency, queue, cancel } = policy;
  const pace = { isSlow: false };
  return {
    listing: tool,
    ...(tool.annotations && { annotations: tool.annotations }),
    keepMeta: true,
    ...(isQuick(tool, policy) && { quickMs: Math.min(QUICK_MS, inlineMs ?? QUICK_MS) }),
    // Clients hear it as their upstream tells it.
    logs: 'keep',
    task: mode,
    ...(inlineMs !== undefined && { inlineMs }),
    ...(maxRunMs !== undefined && { maxRunMs }),
    ...(concurrency !== undefined && { concurrency }),
    ...(queue !== undefined && mode !== 'never' && { queue: () => queue }),
    // A second attempt goes on with the call that the first one made; whether that is made again is the host's to decide.
    idempotent: true,
    retry: { ...(retry !== undefined && { maxAttempts: retry }), ...(idempotent ? {} : { when: () => false }) },
    // The attempts of a worker share its connections.
    isolate: false,
    async run(args, task) {
      if (task.taskId !== '') {
        const mayEnd = cancel !== 'tell';
        const asked = { upstream, tool: tool.name, args: args as JsonObject, isRepeatable: idempotent, mayEnd };
        return upstreams.call(asked, task);
      }
      if (mode !== 'never') checkPace(pace, task);
      const params = { name: tool.name, arguments: args as JsonObject, _meta: toUpstreamMeta(task) };
      // Who is only tried tells nobody how far it is: it is over soon, or told of by its task.
      const onProgress = mode === 'never' ? (told: JsonObject) => tellProgress(task, told) : undefined;
      const reply = await mirror.exchange({ upstream, method: 'tools/call', params, signal: task.signal }, onProgress);
      if (reply.kind === 'error') throw new UpstreamError(reply.error);
      return toResult(reply.result);
    },
  };
}

/** What only reads, and waits for nobody, need not be on a disk before it is begun. */
function isQuick({ annotations }: HostTool, { task, queue, concurrency }: DecidedPolicy): boolean {
  return annotations?.readOnlyHint === true && task === 'auto' && queue === undefined && concurrency === undefined;
}

/** Leaves a call that is tried before it becomes a task, if its tool was slow before; and notes when it is. */
function checkPace(pace: { isSlow: boolean }, { signal }: ServerTaskContext): void {
  if (pace.isSlow) throw new TaskError('LEASE_LOST', 'the tool is slow, so its call becomes a task at once');
  const begunAt = performance.now();
  const onAbort = () => {
    // It also fires when the client goes.
    pace.isSlow ||= performance.now() - begunAt >= QUICK_MS / 2;
  };
  signal.addEventListener('abort', onAbort, { once: true });
}

/** A tool says how far it is as a share of the whole, where that is known. */
async function tellProgress(task: ServerTaskContext, { progress, total, message }: JsonObject): Promise<void> {
  const value = typeof total === 'number' && total > 0 ? Number(progress) / total : Number(progress);
  await task.progress(value, typeof message === 'string' ? message : undefined);
}
