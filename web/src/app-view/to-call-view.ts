import type { TaskView } from '../../../src/dialects/apps/wire.ts';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import type { JsonObject } from '../form/schema.ts';
import type { FollowedCall } from './call-follower.ts';

/** The call in the form that the page's call card shows; undefined while there is nothing to show. */
export function toCallView(call: FollowedCall, tool: string, note: (attempt: number) => string): CallView | undefined {
  const { task, result, cancelled, args, startedAt, overAt = startedAt } = call;
  const common = { callId: '', server: '', sessionId: '', output: [] };
  if (task) return { ...common, ...fromTask(task, note) };
  const outcome = result ? toResult(result) : cancelled === undefined ? undefined : toCancelled(cancelled);
  if (!outcome) return undefined;
  return { ...common, tool, args, createdAt: startedAt, endedAt: overAt, state: 'ended', questions: [], outcome };
}

function fromTask(task: TaskView, note: (attempt: number) => string) {
  const { tool, args, createdAt, endedAt, progress, remainingMs, estimateMs, questions, outcome, attempt } = task;
  const left = remainingMs === undefined ? {} : { remainingMs };
  return {
    ...{ tool, createdAt, questions },
    args: args as JsonObject,
    state: outcome ? ('ended' as const) : ('pending' as const),
    ...(endedAt !== undefined && { endedAt }),
    ...((progress || remainingMs !== undefined) && { progress: { value: 0, ...progress, ...left } }),
    ...(estimateMs !== undefined && { estimateMs }),
    ...(attempt > 1 && !outcome && { note: note(attempt) }),
    ...(outcome && { outcome }),
  };
}

function toResult(result: JsonObject) {
  return { kind: 'result' as const, result, isError: result.isError === true };
}

function toCancelled(reason: string) {
  return { kind: 'cancelled' as const, reason };
}
