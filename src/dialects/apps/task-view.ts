import { toRemainingMs } from '../../task/estimate.ts';
import { isOpen } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { toWireOutcome } from '../shared/outcomes/wire-outcome.ts';
import { toInputRequest } from '../shared/questions/mcp-input.ts';
import { readInput } from '../shared/stored-call.ts';
import type { TaskView, ViewOutcome } from './wire.ts';

/** Returns what a view shows of a task: nothing that its caller would not see otherwise. */
export function toTaskView(task: Task, now: number): TaskView {
  const { taskId, tool, createdAt, endedAt, attempt, progress, estimateMs } = task;
  const remainingMs = toRemainingMs(task, now);
  const outcome = toOutcome(task);
  const open = outcome ? [] : task.questions.filter(isOpen);
  return {
    ...{ taskId, tool, createdAt, attempt },
    args: readInput(task) ?? {},
    ...(endedAt !== undefined && { endedAt }),
    ...(progress && { progress: { value: progress.value, ...toMessage(progress.message) } }),
    ...(remainingMs !== undefined && { remainingMs }),
    ...(estimateMs !== undefined && { estimateMs }),
    questions: open.map((question) => ({ key: question.key, request: toInputRequest(taskId, question) })),
    ...(outcome && { outcome }),
  };
}

function toMessage(message: string | undefined): { readonly message?: string } {
  return message === undefined ? {} : { message };
}

function toOutcome(task: Task): ViewOutcome | undefined {
  if (task.outcome?.kind === 'interrupted') return { kind: 'interrupted', reason: task.outcome.reason };
  const ending = toWireOutcome(task);
  return ending.kind === 'running' ? undefined : ending;
}
