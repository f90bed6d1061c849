/**
 * Finds work that was cut off although nothing had happened to the process that ran it.
 *
 * Killed, terminated and stopped processes count as causes, and, for work that may not be repeated, processes in which a poison
 * task ran. A locked, slow or failing store does not count, and neither does a changed clock: they do not harm the worker.
 */
import {
  type ActEntry,
  type CallHistory,
  type FaultEntry,
  isHarm,
  isRepeatable,
  type JudgeInput,
} from './call-history.ts';

/** A fault is recorded before it is injected, and the process may still act in between. */
const SLACK_MS = 2000;

export function findUncaused(call: CallHistory, context: JudgeInput): string[] {
  return [...findUncausedEnd(call, context), ...findUncausedReruns(call, context)];
}

function findUncausedEnd(call: CallHistory, context: JudgeInput): string[] {
  return call.tasks.flatMap(({ told, taskId, attempts, maxAttempts }) => {
    if (told?.kind !== 'interrupted') return [];
    const begun = call.begun.filter((act) => act.taskId === taskId);
    const needed = isRepeatable(call) ? maxAttempts : 1;
    const causes = isRepeatable(call) ? { ...context, poisonedAt: new Map<number, number>() } : context;
    const harmed = begun.filter((act) => isHarmed(act, Number.POSITIVE_INFINITY, causes)).length;
    // Claimed but not started: the process is unknown, so any process harmed since then may have been the one.
    const unseen = Math.min(Math.max(0, attempts - begun.length), countHarms(call, causes));
    if (harmed + unseen >= needed) return [];
    return [`task ${taskId} was interrupted (${told.text}); ${harmed + unseen} of ${needed} causes are known`];
  });
}

/** Counts harmed processes since the call was requested. */
function countHarms({ asked }: CallHistory, { faults, poisonedAt }: JudgeInput): number {
  const from = asked[0]?.at ?? 0;
  const since = faults.filter((fault) => isHarm(fault) && fault.untilAt + SLACK_MS >= from);
  return since.reduce((sum, { pids }) => sum + pids.length, poisonedAt.size);
}

/** Finds tool bodies that started again although the previous attempt's process was not harmed. */
function findUncausedReruns({ begun, tasks }: CallHistory, context: JudgeInput): string[] {
  const found = begun.slice(1).flatMap((next, at) => {
    const before = begun[at] as ActEntry;
    // Without a new attempt number the task was handed back or resumed, so nothing was lost. Two tasks of one call are separate
    // work.
    if (next.attempt <= before.attempt || next.taskId !== before.taskId || isHarmed(before, next.at, context))
      return [];
    return [`attempt ${next.attempt} began although nothing had happened to process ${before.pid} of the one before`];
  });
  // A tool that fails, for example because a full disk refuses a step, is retried without any process being harmed.
  return found.slice(tasks.reduce((sum, { retries = 0 }) => sum + retries, 0));
}

function isHarmed({ pid, parent, at }: ActEntry, before: number, { faults, poisonedAt }: JudgeInput): boolean {
  const poisoned = poisonedAt.get(pid);
  if (poisoned !== undefined && poisoned <= before) return true;
  // A worker outlives the server that started it; an isolated attempt does not outlive its worker.
  const isHit = ({ pids, target }: FaultEntry) =>
    pids.includes(pid) || (target === 'worker' && parent !== undefined && pids.includes(parent));
  // A killed or terminated process does not recover; a stopped one does.
  return faults.some(
    (fault) =>
      isHarm(fault) && isHit(fault) && fault.at <= before && (fault.fault !== 'stop' || fault.untilAt + SLACK_MS >= at),
  );
}
