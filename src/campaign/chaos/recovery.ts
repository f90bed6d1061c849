/** Statistics of how long interrupted work took to continue or to end. */

import { type ActEntry, type CallHistory, type FaultEntry, toJudgeInput } from './call-history.ts';
import type { Evidence } from './evidence.ts';

export interface RecoveryTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** Work that was cut off: when, on the monotonic clock, and the time until its next sign of life. */
export interface Recovery {
  readonly at: number;
  readonly ms: number;
}

/** Lists, for each kill of a process that was running a body, the time to the next event of that call. */
export function listRecoveries(evidence: Evidence): Recovery[] {
  const { calls, faults } = toJudgeInput(evidence);
  const kills = faults.filter(({ fault }) => fault === 'kill');
  return calls.flatMap((call) => kills.flatMap((kill) => toRecovery(call, kill) ?? []));
}

export function toRecoveryTimes(times: readonly number[]): RecoveryTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: sorted.at(-1) ?? 0 };
}

function toRecovery({ begun, finished, delivered }: CallHistory, kill: FaultEntry): Recovery | undefined {
  const isRunning = ({ pid, at, attempt }: ActEntry) =>
    kill.pids.includes(pid) &&
    at < kill.at &&
    !finished.some((end) => end.pid === pid && end.attempt === attempt && end.at <= kill.at);
  if (!begun.some(isRunning)) return undefined;
  const signs = [...begun, ...delivered].map(({ at }) => at).filter((at) => at > kill.at);
  return signs.length === 0 ? undefined : { at: kill.at, ms: Math.round(Math.min(...signs) - kill.at) };
}
