import { toActor } from '../../../engine/actor.ts';
import { adoptStranded } from '../../../engine/program/adopt.ts';
import type { Stranded } from '../../../engine/program/stranded.ts';
import { OPERATOR } from '../../../engine/task-client.ts';
import { TaskError } from '../../../errors.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { findTask } from '../../stores/find-task.ts';
import { findGroup, readStranded } from '../../stores/stranded-tasks.ts';
import type { TasksAdoptContext } from './task-commands.ts';
import { type WithStore, withStore } from './with-store.ts';

interface AdoptionRequest {
  readonly group: Stranded;
  /** All tasks of the group if absent. */
  readonly taskIds?: readonly string[];
}

/** Whether a task was given to another program, and if not, why. */
interface AdoptionResult {
  readonly taskId: string;
  readonly to?: string;
  readonly why?: string;
}

/** Gives stranded tasks, whose program is gone, to the newest program of the same name. */
export function adoptTasks(context: TasksAdoptContext): Promise<number> {
  return withStore(context, { readOnly: false, run });
}

async function run(context: WithStore<TasksAdoptContext>): Promise<number> {
  const { terminal } = context;
  const stranded = await readStranded(context.store);
  const { requests, refused } = await planAdoptions(context, stranded);
  const results = [...refused];
  for (const request of requests) results.push(...(await adoptGroup(context, request)));
  const adopted = results.filter(({ to }) => to !== undefined);
  const left = results.filter(({ to }) => to === undefined);
  if (terminal.json) terminal.printJson({ adopted, left });
  else {
    for (const { taskId } of adopted) terminal.print(`adopted ${taskId}`);
    for (const { taskId, why = '' } of left) terminal.remark(`not adopted: ${taskId}: ${why}`);
    if (results.length === 0) terminal.remark('nothing to adopt: no task waits for a worker that cannot come');
  }
  return left.length > 0 && adopted.length === 0 ? 1 : 0;
}

async function planAdoptions(
  { access, args, values }: WithStore<TasksAdoptContext>,
  stranded: readonly Stranded[],
): Promise<{ requests: AdoptionRequest[]; refused: AdoptionResult[] }> {
  if (values.all === true && args.length > 0) throw usage('give tasks or --all, not both');
  if (values.all === true) return { requests: stranded.map((group) => ({ group })), refused: [] };
  if (args.length === 0) throw usage('which tasks? expected: TASK..., or --all');
  const requests: AdoptionRequest[] = [];
  const refused: AdoptionResult[] = [];
  for (const ref of args) {
    const task = await findTask(access, ref);
    const group = findGroup(task, stranded);
    if (group) requests.push({ group, taskIds: [task.taskId] });
    else refused.push({ taskId: task.taskId, why: 'it does not wait for a worker that cannot come' });
  }
  return { requests, refused };
}

async function adoptGroup(
  { store, audit, access }: WithStore<TasksAdoptContext>,
  { group, taskIds }: AdoptionRequest,
): Promise<AdoptionResult[]> {
  const { heir, identity, tool } = group;
  const listWaiting = async () => {
    if (taskIds) return taskIds;
    const filter = { identity, tool, limit: 1000 };
    const { tasks } = await access.list(filter, { principal: OPERATOR });
    return tasks.filter((task) => findGroup(task, [group])).map(({ taskId }) => taskId);
  };
  if (!heir)
    return toRefusals(await listWaiting(), `no program of the name has the tool ${toPlainText(tool)} any more`);
  const parts = { store, audit, by: toActor(OPERATOR) };
  const adopted = await adoptStranded(parts, group, { to: heir.identity, ...(taskIds && { taskIds }) });
  if (!adopted) return toRefusals(await listWaiting(), 'its own program serves again');
  const done = adopted.map(({ taskId }) => ({ taskId, to: heir.identity }));
  const ids = new Set(adopted.map(({ taskId }) => taskId));
  const rest = (await listWaiting()).filter((taskId) => !ids.has(taskId));
  return [...done, ...toRefusals(rest, 'its key or alias is in use there: the same work was submitted again')];
}

function toRefusals(taskIds: readonly string[], why: string): AdoptionResult[] {
  return taskIds.map((taskId) => ({ taskId, why }));
}

function usage(message: string): TaskError {
  return new TaskError('USAGE', message);
}
