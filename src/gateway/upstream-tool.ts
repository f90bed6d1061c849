import type { HostTool, JsonObject } from '../host/index.ts';
import type { ServerTaskContext, ServerTool } from '../index.ts';
import { toLogLevel, toUpstreamMeta } from './calls/call-meta.ts';
import { toResult, UpstreamError } from './calls/upstream-error.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { PersistedNameSet } from './persisted-name-set.ts';
import type { DecidedPolicy } from './policy.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

/** Most read-only tools finish within this time. Short, because a slower call is restarted as a task. */
const QUICK_MS = 100;

export interface ToolParts {
  readonly upstreams: Upstreams;
  readonly mirror: Mirror;
  /** Tools that are no longer tried without a task. */
  readonly slow: PersistedNameSet;
}

/** A tool, and its upstream. */
interface UpstreamTool {
  readonly upstream: string;
  readonly tool: HostTool;
  readonly era: 'legacy' | 'modern';
  /**
   * Whether clients get its log lines directly, whichever process makes the call: on stdio, a server logs to all processes that
   * share it.
   */
  readonly isHeard: boolean;
}

/** Wraps an upstream's tool as a tool of the gateway: its listing is the same, and its calls are tasks. */
export function toServerTool(
  { upstreams, mirror, slow }: ToolParts,
  { upstream, tool, era, isHeard }: UpstreamTool,
  policy: DecidedPolicy,
): ServerTool {
  const name = `${upstream}/${tool.name}`;
  const { task: mode, inlineMs, quickMs = QUICK_MS, idempotent, retry, maxRunMs, concurrency, queue, cancel } = policy;
  return {
    listing: tool,
    ...(tool.annotations && { annotations: tool.annotations }),
    keepMeta: true,
    logs: isHeard ? 'keep' : 'tell',
    ...(isQuick(tool, policy) && { quickMs: () => (slow.has(name) ? 0 : quickMs) }),
    task: mode,
    ...(inlineMs !== undefined && { inlineMs }),
    ...(maxRunMs !== undefined && { maxRunMs }),
    ...(concurrency !== undefined && { concurrency }),
    ...(queue !== undefined && mode !== 'never' && { queue: () => queue }),
    // A second attempt resumes the call that the first one made; the host decides whether the call itself is repeated.
    idempotent: true,
    retry: { ...(retry !== undefined && { maxAttempts: retry }), ...(idempotent ? {} : { when: () => false }) },
    // Attempts of a worker share its connections, so they cannot run in processes of their own.
    isolate: false,
    async run(args, task) {
      if (task.taskId !== '') {
        const mayEnd = cancel !== 'tell';
        const asked = { upstream, tool: tool.name, args: args as JsonObject, isRepeatable: idempotent, mayEnd };
        return upstreams.call(asked, task);
      }
      // The call is restarted as a task, so it may run twice if the upstream ignores cancels: never try this tool without a task
      // again.
      const onAbort = () => slow.add(name);
      if (mode === 'auto') task.signal.addEventListener('abort', onAbort, { once: true });
      const _meta = { ...toUpstreamMeta(task), ...toLogLevel(task.meta, era) };
      const params = { name: tool.name, arguments: args as JsonObject, _meta };
      const reply = await mirror.exchange({ upstream, method: 'tools/call', params, signal: task.signal }, (told) =>
        reportProgress(task, told),
      );
      if (reply.kind === 'error') throw new UpstreamError(reply.error);
      return toResult(reply.result);
    },
  };
}

/** A read-only call that waits for no queue or slot need not be durable before it starts. */
function isQuick({ annotations }: HostTool, { task, queue, concurrency }: DecidedPolicy): boolean {
  return annotations?.readOnlyHint === true && task === 'auto' && queue === undefined && concurrency === undefined;
}

/** Reports progress as a share of the total, where that is known. */
async function reportProgress(task: ServerTaskContext, { progress, total, message }: JsonObject): Promise<void> {
  const value = typeof total === 'number' && total > 0 ? Number(progress) / total : Number(progress);
  await task.progress(value, typeof message === 'string' ? message : undefined);
}
