import { isTaskError, TaskError } from '../../errors.ts';
import type { Change } from '../../store/contract.ts';
import type { Lease } from '../../store/contracts/task-contract.ts';
import type { Task } from '../../task/record.ts';

/** Whether the lease is still the current one. An ended task has no holder. */
export function isCurrentLease(task: Task | undefined, lease: Lease): boolean {
  return task !== undefined && task.worker === lease.worker && task.fence === lease.fence;
}

/** Whether a change of a task may mean that its lease is gone. */
export function mayMeanLoss({ type }: Change): boolean {
  return type === 'ended' || type === 'requeued' || type === 'parked';
}

/** Returns why a lease is no longer held, as the error that a tool's signal carries. */
export function leaseLostError(task: Task | undefined): TaskError {
  if (task?.outcome?.kind === 'cancelled') return new TaskError('CANCELLED', task.outcome.reason);
  if (task?.status === 'input_required' && task.worker === undefined) {
    return new TaskError('PARKED', 'the question has been open for long; the task goes on when it is answered');
  }
  return new TaskError('LEASE_LOST', 'the task has ended, or belongs to another worker now');
}

/** Whether this is an error made by `leaseLostError`. */
export function isLeaseLost(error: unknown): boolean {
  return isTaskError(error, 'CANCELLED') || isTaskError(error, 'PARKED') || isTaskError(error, 'LEASE_LOST');
}
