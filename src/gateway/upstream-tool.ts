import type { HostTool, JsonObject } from '../host/index.ts';
import type { ServerTaskContext, ServerTool } from '../index.ts';
import { toLogLevel, toUpstreamMeta } from './calls/call-meta.ts';
import { toResult, UpstreamError } from './calls/upstream-error.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { NotedNames } from './noted-names.ts';
import type { DecidedPolicy } from './policy.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

/** Most tools that only read are over by then; one that is not begins anew as a task, so it is short. */
const QUICK_MS = 100;

export interface ToolParts {
  readonly upstreams: Upstreams;
  readonly mirror: Mirror;
  /** Tools that are not tried without a task any more. */
  readonly slow: NotedNames;
}

/** A tool, and whose it is. */
interface UpstreamTool {
  readonly upstream: string;
  readonly tool: HostTool;
  readonly era: 'legacy' | 'modern';
  /** Whether clients hear what it logs whoever makes its calls: on stdio it logs for all processes that share it. */
  readonly isHeard: boolean;
}

/** A tool of an upstream as a tool of the gateway: it looks the same, and its calls are tasks. */
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
      // Begun anew as a task, it may run twice where cancels are not heard: once is enough to learn that.
      const onAbort = () => slow.add(name);
      if (mode === 'auto') task.signal.addEventListener('abort', onAbort, { once: true });
      const _meta = { ...toUpstreamMeta(task), ...toLogLevel(task.meta, era) };
      const params = { name: tool.name, arguments: args as JsonObject, _meta };
      const reply = await mirror.exchange({ upstream, method: 'tools/call', params, signal: task.signal }, (told) =>
        tellProgress(task, told),
      );
      if (reply.kind === 'error') throw new UpstreamError(reply.error);
      return toResult(reply.result);
    },
  };
}

/** What only reads, and waits for nobody, need not be on a disk before it is begun. */
function isQuick({ annotations }: HostTool, { task, queue, concurrency }: DecidedPolicy): boolean {
  return annotations?.readOnlyHint === true && task === 'auto' && queue === undefined && concurrency === undefined;
}

/** A tool says how far it is as a share of the whole, where that is known. */
async function tellProgress(task: ServerTaskContext, { progress, total, message }: JsonObject): Promise<void> {
  const value = typeof total === 'number' && total > 0 ? Number(progress) / total : Number(progress);
  await task.progress(value, typeof message === 'string' ? message : undefined);
}
