import { TaskError } from '../../errors.ts';
import type { CreateResult } from '../../store/contracts/task-contract.ts';
import type { NewTask, Task } from '../../task/record.ts';
import type { HeldTask } from '../holds/held-task.ts';

/** The result of a submit. */
export interface Submitted {
  /** The task as it was written, or as it is now when an earlier one was joined. */
  readonly task: Task;
  /** The hold of this caller, when it asked for one; absent when another caller waits for the same task. */
  readonly hold?: HeldTask;
  /** Whether the task is new; `false` when an earlier submit with the same key or alias was joined. */
  readonly created: boolean;
}

/** Converts the store's answer to what the caller of `submit` gets. */
export function toSubmitted(task: NewTask, result: Exclude<CreateResult, { kind: 'over-share' }>): Submitted {
  switch (result.kind) {
    case 'created':
    case 'joined':
      return { task: result.task, created: result.kind === 'created' };
    case 'conflict': {
      const { on, taskId } = result;
      const code = on === 'alias' ? 'ALIAS_CONFLICT' : 'IDEMPOTENCY_CONFLICT';
      const text = `${on} ${JSON.stringify(task[on])} belongs to a task with another tool or other arguments; use a new one`;
      throw new TaskError(code, text, { data: { taskId } });
    }
    case 'full':
      throw new TaskError('QUEUE_FULL', `the queue is full: ${result.queued} tasks are waiting; try again later`, {
        data: { queued: result.queued },
      });
  }
}
