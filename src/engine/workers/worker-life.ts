import { isAlive } from '../../process/process-ref.ts';
import type { WorkerInfo } from '../../store/contracts/worker-contract.ts';

/** The exit code of a worker that could not do what it was started for. */
export const WORKER_FAILED = 70;

/** Whether the process of a worker is known to be gone, although its place has not been cleared yet. */
export function hasEnded({ process }: WorkerInfo): boolean {
  return process !== undefined && isAlive(process) === false;
}
