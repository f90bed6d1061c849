/**
 * Finds violations, using only the journals and the store's own list of tasks.
 *
 * Pure: starts and stops no process, and reads nothing itself. Each rule checks one call; the processes that are still running
 * are checked last.
 */
import { RPC_CODES } from '../../rpc-codes.ts';
import { type CallHistory, isPoison, isRepeatable, type JudgeInput, toJudgeInput } from './call-history.ts';
import type { Evidence, JudgeLimits, Violation } from './evidence.ts';
import { findUncaused } from './interruptions.ts';

type Rule = (call: CallHistory, context: JudgeInput & { readonly lateMs: number }) => readonly string[];

export function judge(evidence: Evidence, { lateMs = 60_000 }: JudgeLimits = {}): Violation[] {
  const context = { ...toJudgeInput(evidence), lateMs };
  const found = context.calls.flatMap((call) =>
    RULES.flatMap(([verdict, rule]) =>
      rule(call, context).map((says) => ({ verdict, callId: call.callId, says }) as const),
    ),
  );
  const left = evidence.left.map(({ pid, command }) => ({
    verdict: 'left-running' as const,
    says: `process ${pid} is still there: ${command}`,
  }));
  return [...found, ...left];
}

/** Codes with which a host gives up on a call that it had acknowledged. */
const GIVEN_UP: readonly unknown[] = [
  'CONNECT_FAILED',
  'LINE_LOST',
  'TASK_NOT_FOUND',
  'SERVER_NOT_FOUND',
  RPC_CODES.NOT_READY,
];

const lost: Rule = ({ acknowledged, tasks, delivered }, { hasStore }) => {
  const missing = acknowledged.filter(
    ({ taskId }) => hasStore && taskId !== undefined && !tasks.some((task) => task.taskId === taskId),
  );
  // From outside, a server that forgets work looks like one that honestly reports its loss: the caller has no result.
  const isGivenUp = ({ told }: CallHistory['delivered'][number]) =>
    GIVEN_UP.includes(told.code) || (!hasStore && told.kind === 'interrupted');
  const givenUp = acknowledged.length === 0 ? [] : delivered.filter(isGivenUp);
  return [
    ...missing.map(({ taskId }) => `task ${taskId} was acknowledged and is not in the store`),
    ...givenUp.map(({ told }) => `it was acknowledged, and then given up: ${told.text}`),
  ];
};

const doubled: Rule = (call) => {
  const { begun, acknowledged, tasks, taken, delivered } = call;
  const found: string[] = [];
  if (!isRepeatable(call) && begun.length > 1) {
    found.push(
      `its body may not be repeated and began ${begun.length} times: ${begun.map(({ pid }) => pid).join(', ')}`,
    );
  }
  const keyed = acknowledged.some(({ taskId }) => taskId !== undefined);
  if (keyed && tasks.length > 1) found.push(`${tasks.length} tasks were made for one key`);
  const takenAt = taken[0]?.at ?? Number.POSITIVE_INFINITY;
  if (delivered.some(({ at }) => at > takenAt)) found.push('its outcome was delivered again after it had been taken');
  return found;
};

const stuck: Rule = ({ asked, acknowledged, refused, delivered, tasks }) => {
  const found = tasks.filter(({ isEnded }) => !isEnded).map(({ taskId, status }) => `task ${taskId} is ${status}`);
  const waits = asked.some(({ by }) => by === 'host' || by === 'client') && delivered.length === 0;
  const wasPromised = acknowledged.length > 0 || (asked.some(({ by }) => by === 'client') && refused.length === 0);
  return waits && wasPromised ? [...found, 'its caller got no outcome'] : found;
};

const late: Rule = (call, { faults, lateMs }) => {
  const { asked, delivered } = call;
  // A poison task is run several times, and takes a worker down each time.
  const [first] = isPoison(call) ? [] : asked;
  const [end] = delivered;
  if (first === undefined || end === undefined) return [];
  const begunBefore = faults.filter(({ at }) => at < end.at);
  const calmAt = begunBefore.reduce((last, { untilAt }) => Math.max(last, Math.min(untilAt, end.at)), first.at);
  const ms = Math.round(end.at - calmAt);
  return ms > lateMs ? [`it ended ${ms} ms after it was asked for and nothing was wrong any more`] : [];
};

const contradictory: Rule = (call) => {
  const { delivered, tasks, finished, begun, callId } = call;
  const found: string[] = [];
  const told = new Set(delivered.map(({ told: { kind, text } }) => JSON.stringify([kind, text])));
  if (told.size > 1) found.push(`different outcomes were delivered: ${[...told].join(' and ')}`);
  for (const task of tasks) {
    if (task.isEnded && task.endings !== 1) found.push(`the history of task ${task.taskId} ends ${task.endings} times`);
    if (task.told?.kind !== 'result') continue;
    if (begun.length > 0 && finished.length === 0) found.push(`task ${task.taskId} has a result and no body finished`);
    if (!task.told.text.includes(callId)) found.push(`the result of task ${task.taskId} is of another call`);
  }
  // A poison task may be refused, which its client records as its end.
  return isPoison(call) ? found : [...found, ...findDisagreement(call)];
};

/**
 * Compares the delivered outcome with the store; with several tasks for one call, any of their outcomes may have been delivered.
 */
function findDisagreement({ delivered, tasks }: CallHistory): string[] {
  const [first] = delivered;
  const ends = tasks.flatMap(({ told }) => (told === undefined ? [] : [told.kind]));
  if (first === undefined || ends.length === 0 || ends.includes(first.told.kind)) return [];
  return [`its caller was told ${first.told.kind} (${first.told.text}), the store says ${ends.join(', ')}`];
}

const interrupted: Rule = (call, context) => (isPoison(call) ? [] : findUncaused(call, context));

const actedAfterEnd: Rule = (call) => {
  const { delivered, begun, step, stepped, tasks } = call;
  const found: string[] = [];
  // A repeatable call can have several tasks, and it is unknown which one's outcome was delivered; and a client records the
  // refusal of a poison task as its end.
  const isSure = (tasks.length <= 1 || !isRepeatable(call)) && !isPoison(call);
  const endAt = (isSure ? delivered[0]?.at : undefined) ?? Number.POSITIVE_INFINITY;
  for (const { at, pid } of begun) {
    if (at > endAt) found.push(`its body began in process ${pid}, ${Math.round(at - endAt)} ms after its end was told`);
  }
  for (const one of step) {
    const kept = stepped.find(
      ({ step: name, taskId, at }) => name === one.step && taskId === one.taskId && at < one.at,
    );
    const ms = Math.round(one.at - Math.min(kept?.at ?? Number.POSITIVE_INFINITY, endAt));
    if (kept !== undefined || one.at > endAt) {
      found.push(`step ${one.step} ran in process ${one.pid}, ${ms} ms after its value was kept or its end was told`);
    }
  }
  return found;
};

const RULES = [
  ['lost', lost],
  ['doubled', doubled],
  ['stuck', stuck],
  ['late', late],
  ['contradictory', contradictory],
  ['interrupted', interrupted],
  ['acted-after-end', actedAfterEnd],
] as const;
