import type { Stranded } from '../../../engine/program/stranded.ts';
import { toStrandedText } from '../../../engine/program/stranded-text.ts';
import { OPERATOR } from '../../../engine/task-client.ts';
import type { TaskFilter } from '../../../store/contracts/task-contract.ts';
import { toRemainingMs } from '../../../task/estimate.ts';
import { toAwaitedText } from '../../../task/question.ts';
import type { Task } from '../../../task/record.ts';
import { isTerminal, type Status } from '../../../task/status.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { toDurationText } from '../../command-line/duration.ts';
import type { StorePlace } from '../../stores/list-stores.ts';
import { toShortIds } from '../../stores/short-ids.ts';
import { findGroup, readStranded } from '../../stores/stranded-tasks.ts';
import { paintStatus, toProgressText, toTable } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { toWorkersText } from '../../terminal/worker-text.ts';
import type { TasksListContext } from './task-commands.ts';
import { isNamed, type OpenPlace, visitStores } from './with-store.ts';

const DEFAULT_LIMIT = 20;
const PAGE = 1000;

/** A task, with facts about it that are not in its record. */
interface Listed {
  readonly task: Task;
  readonly place: StorePlace;
  readonly group: Stranded | undefined;
  /** The store's current time. */
  readonly now: number;
}

/** Lists tasks, newest first, with age, status, progress and remaining time; and the workers that run them. */
export async function listTasks({ values, terminal }: TasksListContext): Promise<number> {
  const listed: Listed[] = [];
  const remarks: string[] = [];
  let more = false;
  let stores = 0;
  const code = await visitStores({ values, terminal }, async (open) => {
    stores += 1;
    const stranded = await readStranded(open.store);
    const { tasks, isCut } = await collect(open, values);
    const { now } = open.store.time();
    listed.push(...tasks.map((task) => ({ task, place: open.place, group: findGroup(task, stranded), now })));
    more ||= isCut;
    remarks.push(...(await toRemarks(open, { stranded, isOnly: isNamed(values) })));
  });
  listed.sort((a, b) => b.task.createdAt - a.task.createdAt);
  const limit = values.all ? Number.POSITIVE_INFINITY : (values.limit ?? DEFAULT_LIMIT);
  const shown = listed.slice(0, limit);
  if (terminal.json) {
    for (const one of shown) terminal.printJson(toJson(one));
    return code;
  }
  print(shown, { terminal, hasStores: !isNamed(values) });
  const isCut = more || shown.length < listed.length;
  if (isCut) remarks.unshift(`only the newest ${shown.length} are shown; see --limit and --all`);
  if (shown.length === 0) remarks.unshift(stores === 0 ? NO_STORES : 'no tasks');
  for (const remark of remarks) terminal.remark(remark);
  return code;
}

const NO_STORES = 'no tasks: no server of this user has kept any yet; holdfast where shows where they would lie';

async function toRemarks(
  { store, place }: OpenPlace,
  { stranded, isOnly }: { readonly stranded: readonly Stranded[]; readonly isOnly: boolean },
): Promise<string[]> {
  const workers = toWorkersText(await store.workers.list());
  const waiting = toStrandedText(stranded, store.directory);
  const name = isOnly ? '' : `${toPlainText(place.name)}: `;
  return [...(workers === undefined ? [] : [`${name}${workers}`]), ...(waiting === undefined ? [] : [waiting])];
}

async function collect({ access }: OpenPlace, values: TasksListContext['values']) {
  const filter = toFilter(values);
  const tasks: Task[] = [];
  let cursor: string | undefined;
  do {
    const page = await access.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) }, { principal: OPERATOR });
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
  } while (values.all && cursor !== undefined);
  return { tasks, isCut: cursor !== undefined };
}

function toFilter({ status, tool, principal, limit = DEFAULT_LIMIT, all }: TasksListContext['values']): TaskFilter {
  return {
    limit: all ? PAGE : limit,
    ...(status === undefined ? {} : { status }),
    ...(tool === undefined ? {} : { tool }),
    ...(principal === undefined ? {} : { principal }),
  };
}

const HEAD = ['ID', 'AGE', 'STATUS', 'PROGRESS', 'LEFT', 'TOOL'];
const STATUS_COLUMN = HEAD.indexOf('STATUS');

function print(
  listed: readonly Listed[],
  { terminal, hasStores }: { readonly terminal: Terminal; readonly hasStores: boolean },
): void {
  if (listed.length === 0) return;
  const short = toShortIds(listed.map(({ task }) => task.taskId));
  const rows = listed.map((one) => [
    short.get(one.task.taskId) ?? one.task.taskId,
    ...toCells(one),
    ...(hasStores ? [toPlainText(one.place.name)] : []),
  ]);
  const paint = (cell: string, column: number) => {
    const status = cell.trimEnd() as Status;
    return column === STATUS_COLUMN ? paintStatus(status, terminal) + cell.slice(status.length) : cell;
  };
  for (const line of toTable([...HEAD, ...(hasStores ? ['STORE'] : [])], rows, paint)) terminal.print(line);
}

function toCells({ task, now, group }: Listed): string[] {
  return [
    toDurationText(now - task.createdAt),
    task.status,
    toProgressText(task.progress),
    group ? 'stranded' : toLeftText(task, now),
    toPlainText(task.tool),
  ];
}

function toLeftText(task: Task, now: number): string {
  if (isTerminal(task.status)) return '';
  const awaited = toAwaitedText(task.questions);
  if (awaited !== undefined) return `waits for ${awaited}`;
  const leftMs = toRemainingMs(task, now);
  return leftMs === undefined ? '' : toDurationText(leftMs);
}

/** The task with its store's path and, if it is stranded, what has changed about its program since it was submitted. */
function toJson({ task, place, group }: Listed): object {
  return { ...task, store: place.path, ...(group && { stranded: group.why }) };
}
