import type { Principal, Task, TaskClient, TaskFilter, TaskPage } from '../../index.ts';

/** A page's query for tasks. */
export interface TaskQuery extends Partial<Omit<TaskFilter, 'limit'>> {
  readonly limit: number;
  /** Searched in the id, tool, arguments, labels and principal; `name=value` searches for a label. */
  readonly text: string;
}

export interface FoundTasks extends TaskPage {
  /** How many tasks were searched. */
  readonly scanned: number;
}

// How many tasks one text search reads: the store has no index for it.
const MAX_SCANNED = 2000;
const PAGE = 500;

/** Returns a page of tasks, newest first; with a search text, the matches in the next part of the list. */
export async function findTasks(client: TaskClient, query: TaskQuery, principal: Principal): Promise<FoundTasks> {
  const { text, limit, principal: wanted, ...filter } = query;
  // The operator may choose a principal; others see only their own tasks.
  const who = typeof principal === 'string' ? principal : (wanted ?? principal);
  const needle = text.trim().toLowerCase();
  if (needle === '') {
    const page = await client.list({ ...filter, limit }, { principal: who });
    return { ...page, scanned: page.tasks.length };
  }
  const found: Task[] = [];
  let { cursor } = filter;
  let scanned = 0;
  do {
    const page = await client.list(
      { ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) },
      { principal: who },
    );
    scanned += page.tasks.length;
    found.push(...page.tasks.filter((task) => holds(task, needle)));
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < limit && scanned < MAX_SCANNED);
  return { tasks: found, scanned, ...(cursor !== undefined && { nextCursor: cursor }) };
}

function holds(task: Task, needle: string): boolean {
  const labels = Object.entries(task.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const texts = [task.taskId, task.tool, task.principal, task.statusMessage ?? '', ...labels];
  if (texts.some((text) => text.toLowerCase().includes(needle))) return true;
  return (JSON.stringify(task.args) ?? '').toLowerCase().includes(needle);
}
