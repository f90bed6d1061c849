/**
 * Which work was cut off although nothing had happened to the process that did it.
 *
 * Killed, terminated and stopped processes are causes, and for work that may not be repeated those in which a poison task
 * ran. A store that is locked, slow or failing is none, and neither is a clock: they prove nothing about the worker.
 */
import { type ActEntry, type CallStory, type Case, type FaultEntry, isHarm, isRepeatable } from './story.ts';

/** A fault is noted before it is made, and the process may act once more in between. */
const SLACK_MS = 2000;

export function findUncaused(story: CallStory, context: Case): string[] {
  return [...findUncausedEnd(story, context), ...findUncausedReruns(story, context)];
}

function findUncausedEnd(story: CallStory, context: Case): string[] {
  return story.tasks.flatMap(({ told, taskId, attempts, maxAttempts }) => {
    if (told?.kind !== 'interrupted') return [];
    const begun = story.begun.filter((act) => act.taskId === taskId);
    const needed = isRepeatable(story) ? maxAttempts : 1;
    const causes = isRepeatable(story) ? { ...context, poisonedAt: new Map<number, number>() } : context;
    const harmed = begun.filter((act) => isHarmed(act, Number.POSITIVE_INFINITY, causes)).length;
    // Claimed and not begun: the process is not known, so any that was harmed since may have been it.
    const unseen = Math.min(Math.max(0, attempts - begun.length), countHarms(story, causes));
    if (harmed + unseen >= needed) return [];
    return [`task ${taskId} was interrupted (${told.text}); ${harmed + unseen} of ${needed} causes are known`];
  });
}

/** Harm to anybody since the call was asked for. */
function countHarms({ asked }: CallStory, { faults, poisonedAt }: Case): number {
  const from = asked[0]?.at ?? 0;
  const since = faults.filter((fault) => isHarm(fault) && fault.untilAt + SLACK_MS >= from);
  return since.reduce((sum, { pids }) => sum + pids.length, poisonedAt.size);
}

/** A body that begins again although the process of the one before was left in peace. */
function findUncausedReruns({ begun, tasks }: CallStory, context: Case): string[] {
  const found = begun.slice(1).flatMap((next, at) => {
    const before = begun[at] as ActEntry;
    // Without a new attempt it was handed back or taken up, which is no loss; and two tasks of one call are not one work.
    if (next.attempt <= before.attempt || next.taskId !== before.taskId || isHarmed(before, next.at, context))
      return [];
    return [`attempt ${next.attempt} began although nothing had happened to process ${before.pid} of the one before`];
  });
  // A tool that fails, because it is refused a step by a full disk for one, is run again without any harm.
  return found.slice(tasks.reduce((sum, { retries = 0 }) => sum + retries, 0));
}

function isHarmed({ pid, parent, at }: ActEntry, before: number, { faults, poisonedAt }: Case): boolean {
  const poisoned = poisonedAt.get(pid);
  if (poisoned !== undefined && poisoned <= before) return true;
  // A worker outlives the server that started it; an attempt in a process of its own does not outlive its worker.
  const isHit = ({ pids, target }: FaultEntry) =>
    pids.includes(pid) || (target === 'worker' && parent !== undefined && pids.includes(parent));
  // A process that was killed or told to go does not recover; one that was stopped does.
  return faults.some(
    (fault) =>
      isHarm(fault) && isHit(fault) && fault.at <= before && (fault.fault !== 'stop' || fault.untilAt + SLACK_MS >= at),
  );
}
