/** Finds the processes of a run by an environment variable that children inherit, whether or not their parent is alive. */
import { readFileSync } from 'node:fs';
import { hasVariable, listProcesses } from '../../process/process-table.ts';
import type { LeftProcess } from './evidence.ts';

export const MARK = 'HOLDFAST_CHAOS_RUN';
const CHILD = 'HOLDFAST_CHAOS_CHILD';

/** Pids of all living processes with the mark, in ascending order. */
export function listMarked(runId: string): number[] {
  return listProcesses()
    .filter(({ pid, ended }) => !ended && pid !== process.pid && hasVariable(pid, MARK, runId) === true)
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);
}

/** Marked processes that neither belong to the stage's parts nor were started by a tool: workers, or servers of a host. */
export function listOthers(runId: string, parts: readonly number[]): number[] {
  return listMarked(runId).filter((pid) => !parts.includes(pid) && hasVariable(pid, CHILD, '1') !== true);
}

export function describeProcess(pid: number): LeftProcess {
  try {
    return { pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() };
  } catch {
    return { pid, command: 'gone meanwhile' };
  }
}

/** Sends a signal; returns false when the process no longer exists. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
