import { OPERATOR } from '../../engine/task-client.ts';
import type { Command } from '../command-line/command.ts';
import { findTask } from '../stores/find-task.ts';

/** Cancels a task. One that had ended before stays as it is, which is no failure. */
export const tasksCancel: Command = {
  readOnly: false,
  async run({ access, args: [ref = ''], values, terminal }) {
    const { taskId } = await findTask(access, ref);
    const reason = values.reason ?? 'cancelled by the operator';
    const result = await access.cancel(taskId, { principal: OPERATOR, reason });
    if (terminal.json) terminal.printJson(result);
    else if (result.cancelled) terminal.print(`cancelled ${taskId}`);
    else terminal.print(`nothing to cancel: ${taskId} had ended as ${result.task.status}`);
    return 0;
  },
};
