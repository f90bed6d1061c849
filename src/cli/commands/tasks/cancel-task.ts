import { OPERATOR } from '../../../engine/task-client.ts';
import { findTask } from '../../stores/find-task.ts';
import type { TasksCancelContext } from './task-commands.ts';
import { type WithStore, withTask } from './with-store.ts';

/** Cancels a task. A task that has already ended is left as it is, and the exit code is 0. */
export function cancelTask(context: TasksCancelContext): Promise<number> {
  return withTask(context, { readOnly: false, run });
}

async function run({ access, args: [ref = ''], values, terminal }: WithStore<TasksCancelContext>): Promise<number> {
  const { taskId } = await findTask(access, ref);
  const reason = values.reason ?? 'cancelled by the operator';
  const result = await access.cancel(taskId, { principal: OPERATOR, reason });
  if (terminal.json) terminal.printJson(result);
  else if (result.cancelled) terminal.print(`cancelled ${taskId}`);
  else terminal.print(`nothing to cancel: ${taskId} had ended as ${result.task.status}`);
  return 0;
}
