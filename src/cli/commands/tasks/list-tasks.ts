import type { Stranded } from '../../../engine/program/stranded.ts';
import { toStrandedText } from '../../../engine/program/stranded-text.ts';
import { OPERATOR } from '../../../engine/task-client.ts';
import { toPlainText } from '../../../plain-text.ts';
import type { TaskFilter } from '../../../store/task-contract.ts';
import { toRemainingMs } from '../../../task/estimate.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal, type Status } from '../../../task/status.ts';
import { toDurationText } from '../../command-line/duration.ts';
import { findGroup, readStranded } from '../../stores/stranded-tasks.ts';
import { paintStatus, toProgressText, toTable } from '../../terminal/format.ts';
import { toWorkersJson, toWorkersText } from '../../terminal/worker-text.ts';
import type { TasksListContext } from './task-commands.ts';
import { type WithStore, withStore } from './with-store.ts';

const DEFAULT_LIMIT = 20;
const PAGE = 1000;

/** Newest first, with age, status, progress and the time left; and who runs them. */
export function listTasks(context: TasksListContext): Promise<number> {
  return withStore(context, { readOnly: true, run });
}

async function run(context: WithStore<TasksListContext>): Promise<number> {
  const { tasks, more } = await collect(context);
  const { terminal } = context;
  const workers = await context.store.workers.list();
  const stranded = await readStranded(context.store);
  if (terminal.json) {
    const marked = tasks.map((task) => markStranded(task, stranded));
    terminal.printJson({ tasks: marked, more, workers: toWorkersJson(workers), stranded: stranded.map(toJson) });
  } else if (tasks.length === 0) terminal.remark('no tasks');
  else print(context, tasks, stranded);
  if (more && !terminal.json) terminal.remark(`only the newest ${tasks.length} are shown; see --limit and --all`);
  const who = toWorkersText(workers);
  if (who !== undefined && !terminal.json) terminal.remark(who);
  const waiting = toStrandedText(stranded, context.store.directory);
  if (waiting !== undefined && !terminal.json) terminal.remark(waiting);
  return 0;
}

async function collect({ access, values }: WithStore<TasksListContext>): Promise<{ tasks: Task[]; more: boolean }> {
  const filter = toFilter(values);
  const tasks: Task[] = [];
  let cursor: string | undefined;
  do {
    const page = await access.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) }, { principal: OPERATOR });
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
  } while (values.all && cursor !== undefined);
  return { tasks, more: cursor !== undefined };
}

function toFilter({ status, tool, principal, limit = DEFAULT_LIMIT, all }: TasksListContext['values']): TaskFilter {
  return {
    limit: all ? PAGE : limit,
    ...(status === undefined ? {} : { status }),
    ...(tool === undefined ? {} : { tool }),
    ...(principal === undefined ? {} : { principal }),
  };
}

const HEAD = ['AGE', 'STATUS', 'PROGRESS', 'LEFT', 'TOOL', 'ID'];
const STATUS_COLUMN = HEAD.indexOf('STATUS');

function print(
  { terminal, store }: WithStore<TasksListContext>,
  tasks: readonly Task[],
  stranded: readonly Stranded[],
): void {
  const { now } = store.time();
  const rows = tasks.map((task) => toRow(task, now, findGroup(task, stranded)));
  const paint = (cell: string, column: number) => {
    const status = cell.trimEnd() as Status;
    return column === STATUS_COLUMN ? paintStatus(status, terminal) + cell.slice(status.length) : cell;
  };
  for (const line of toTable(HEAD, rows, paint)) terminal.print(line);
}

function toRow(task: Task, now: number, group: Stranded | undefined): string[] {
  const leftMs = isTerminal(task.status) ? undefined : toRemainingMs(task, now);
  return [
    toDurationText(now - task.createdAt),
    task.status,
    toProgressText(task.progress),
    group ? 'stranded' : leftMs === undefined ? '' : toDurationText(leftMs),
    toPlainText(task.tool),
    task.taskId,
  ];
}

/** With what has changed since it was submitted, when no worker can come for it. */
function markStranded(task: Task, stranded: readonly Stranded[]): Task & { readonly stranded?: string } {
  const group = findGroup(task, stranded);
  return group ? { ...task, stranded: group.why } : task;
}

function toJson({ name, identity, tool, count, why, heir }: Stranded): object {
  return { name, identity, tool, count, why, ...(heir && { heir: heir.identity }) };
}
