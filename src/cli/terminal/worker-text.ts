import { hasEnded } from '../../engine/workers/worker-life.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';

/** The workers of a store in one line; undefined if there are none. */
export function toWorkersText(workers: readonly WorkerInfo[]): string | undefined {
  return workers.length === 0 ? undefined : `workers: ${workers.map(toText).join('; ')}`;
}

function toText(worker: WorkerInfo): string {
  const { kind, state, process } = worker;
  const how = state === 'ready' ? kind : `${kind}, ${state}`;
  if (!process) return how;
  if (hasEnded(worker)) return `${how} (process ${process.pid}, which has ended)`;
  return `${how} (process ${process.pid}${kind === 'inline' ? '; what it runs ends with it' : ''})`;
}

/** The workers of a store as JSON. */
export function toWorkersJson(workers: readonly WorkerInfo[]): object[] {
  return workers.map(({ workerId, identity, kind, state, process }) => ({
    workerId,
    identity,
    kind,
    state,
    ...(process && { host: process.host, pid: process.pid }),
  }));
}
