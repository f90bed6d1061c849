/** The commands on an open store. */

import { findAudit } from '../../engine/audit.ts';
import { connectTaskClient } from '../../engine/task-client.ts';
import type { Command, CommandContext } from '../command-line/command.ts';
import type { CommandName } from '../command-line/options.ts';
import { reportFailure } from '../failure.ts';
import { openStore } from '../stores/open-store.ts';
import { tasksAdopt } from './tasks-adopt.ts';
import { tasksAnswer } from './tasks-answer.ts';
import { tasksCancel } from './tasks-cancel.ts';
import { tasksList } from './tasks-list.ts';
import { tasksPrune } from './tasks-prune.ts';
import { tasksShow } from './tasks-show.ts';
import { tasksTail } from './tasks-tail.ts';

export type TaskCommand = Extract<CommandName, `tasks ${string}`>;

const COMMANDS: Readonly<Record<TaskCommand, Command>> = {
  'tasks list': tasksList,
  'tasks show': tasksShow,
  'tasks tail': tasksTail,
  'tasks answer': tasksAnswer,
  'tasks cancel': tasksCancel,
  'tasks prune': tasksPrune,
  'tasks adopt': tasksAdopt,
};

/** Opens the store for a command; returns its exit code. */
export async function runTasks(
  command: TaskCommand,
  context: Pick<CommandContext, 'args' | 'values' | 'terminal'>,
): Promise<number> {
  const { readOnly, run } = COMMANDS[command];
  const store = await openStore(context.values, { readOnly });
  try {
    const report = (error: unknown) => void reportFailure(error, context.terminal);
    const audit = readOnly ? undefined : findAudit(store.directory, report);
    return await run({ ...context, store, audit, access: connectTaskClient(store, { audit }) });
  } finally {
    await store.close();
  }
}
