import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import { get, toMessage } from '../live/api.ts';
import { live } from '../live/live.ts';

export interface TaskFilters {
  readonly status: string;
  readonly tool: string;
  readonly principal: string;
  readonly text: string;
}

interface Page {
  readonly now: number;
  readonly tasks: readonly TaskSummary[];
  readonly nextCursor?: string;
}

export interface FoundTasks {
  readonly tasks: readonly TaskSummary[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem: string;
  loadMore(): void;
}

/** The tasks that match the filters, newest first, read page by page and kept up to date by events. */
export function useTasks(filters: TaskFilters): FoundTasks {
  const [tasks, setTasks] = useState<readonly TaskSummary[]>([]);
  const [cursor, setCursor] = useState<string>();
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  const run = useRef(0);
  const hasMore = useRef(false);
  const take = (page: Page, isMore: boolean) => {
    live.learnTime(page.now);
    // An event about a task that arrived while the page was loading is newer than the page.
    const read = page.tasks.map((task) => live.newest(task)).filter((task) => matches(task, filters));
    setTasks((before) => (isMore ? [...before, ...read] : read));
    setCursor(page.nextCursor);
    hasMore.current = page.nextCursor !== undefined;
  };
  const load = async (after: string | undefined) => {
    if (after === undefined) run.current += 1;
    const own = run.current;
    setLoading(true);
    const [page, fault] = await readPage(toQuery(filters, after));
    // The filters have changed or the list was reloaded in the meantime.
    if (own !== run.current) return;
    if (page) take(page, after !== undefined);
    setProblem(fault);
    setLoading(false);
  };
  const key = JSON.stringify(filters);
  useEffect(() => {
    void load(undefined);
    const stopReload = live.on('tasks', () => void load(undefined));
    const stopTask = live.on('task', (task) =>
      setTasks((before) => withTask(before, task, { filters, hasMore: hasMore.current })),
    );
    return () => {
      stopReload();
      stopTask();
    };
  }, [key]);
  const loadMore = () => {
    if (!isLoading && cursor !== undefined) void load(cursor);
  };
  return { tasks, isLoading, hasMore: cursor !== undefined, problem, loadMore };
}

async function readPage(query: string): Promise<[Page | undefined, string]> {
  try {
    return [await get<Page>(`tasks?${query}`), ''];
  } catch (error) {
    return [undefined, toMessage(error)];
  }
}

function toQuery(filters: TaskFilters, cursor: string | undefined): string {
  const given = Object.entries(filters).filter(([, value]) => value.trim() !== '');
  return new URLSearchParams([
    ['limit', '100'],
    ...given,
    ...(cursor === undefined ? [] : [['cursor', cursor]]),
  ]).toString();
}

interface Shown {
  readonly filters: TaskFilters;
  /** Whether matching older tasks may remain unread. */
  readonly hasMore: boolean;
}

/** Returns the list after a change of one task: updated or inserted by age if it matches the filters, removed if not. */
function withTask(
  tasks: readonly TaskSummary[],
  task: TaskSummary,
  { filters, hasMore }: Shown,
): readonly TaskSummary[] {
  const at = tasks.findIndex(({ taskId }) => taskId === task.taskId);
  const isIn = matches(task, filters);
  if (at >= 0) return isIn ? tasks.with(at, task) : tasks.toSpliced(at, 1);
  if (!isIn) return tasks;
  const place = tasks.findIndex(({ createdAt }) => createdAt <= task.createdAt);
  if (place >= 0) return tasks.toSpliced(place, 0, task);
  return hasMore ? tasks : [...tasks, task];
}

function matches(task: TaskSummary, { status, tool, principal, text }: TaskFilters): boolean {
  if (status !== '' && status !== task.status) return false;
  if (tool !== '' && tool !== task.tool) return false;
  if (principal.trim() !== '' && principal.trim() !== task.principal) return false;
  const labels = Object.entries(task.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const whole = [task.taskId, task.tool, task.principal, task.argsText, ...labels].join('\n').toLowerCase();
  return whole.includes(text.trim().toLowerCase());
}
