import { OPERATOR, type TaskClient } from '../../engine/task-client.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import type { Task } from '../../task/record.ts';
import { isRefOf, SHORTEST_REF, toCandidatesText } from './short-ids.ts';

const TIME_LENGTH = 10;
const PAGE = 1000;
// One more than a message shows.
const MAX_CANDIDATES = 6;
const DAY_MS = 86_400_000;

/**
 * Finds the one task that `ref` names: by its id, by the id its host gave it, or by a prefix of its id or of the id's random
 * part, which follows the time. Tasks made together share the first characters of their ids, so a prefix of the random part
 * is often shorter.
 */
export async function findTask(access: TaskClient, ref: string): Promise<Task> {
  return pickTask(await findTasks(access, ref), ref);
}

/** Returns the only task found; throws if there is none, or several. */
export function pickTask<Found extends Pick<Task, 'taskId'>>(found: readonly Found[], ref: string): Found {
  const [only] = found;
  if (only === undefined) {
    const expected =
      ref.length < SHORTEST_REF ? `; expected an id, or at least ${SHORTEST_REF} characters from its beginning` : '';
    throw new TaskError('TASK_NOT_FOUND', `there is no task ${JSON.stringify(ref)}${expected}`);
  }
  if (found.length > 1) throw ambiguousTaskError(ref, found);
  return only;
}

/** All tasks that a reference may mean; only a few of them if there are many. */
export async function findTasks(access: TaskClient, ref: string): Promise<readonly Task[]> {
  const exact = await getExact(access, ref);
  if (exact) return [exact];
  const found = await findCandidates(access, ref);
  const aliased = found.filter(({ alias }) => alias === ref);
  return aliased.length > 0 ? aliased : found;
}

async function getExact(access: TaskClient, ref: string): Promise<Task | undefined> {
  try {
    return await access.get(ref, { principal: OPERATOR });
  } catch (error) {
    if (isTaskError(error, 'TASK_NOT_FOUND')) return undefined;
    throw error;
  }
}

async function findCandidates(access: TaskClient, ref: string): Promise<Task[]> {
  const oldest = toOldest(ref);
  const found: Task[] = [];
  let cursor: string | undefined;
  do {
    const page = await access.list(
      { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      { principal: OPERATOR },
    );
    found.push(...page.tasks.filter((task) => isNamed(task, ref)));
    const last = page.tasks.at(-1);
    cursor = last !== undefined && last.createdAt >= oldest ? page.nextCursor : undefined;
  } while (cursor !== undefined && found.length < MAX_CANDIDATES);
  return found;
}

function isNamed({ taskId, alias }: Task, ref: string): boolean {
  return alias === ref || isRefOf(ref, taskId);
}

/** How far back to search: a reference that parses as a past time is treated as one. */
function toOldest(ref: string): number {
  const time = Number.parseInt(ref.slice(0, TIME_LENGTH).padEnd(TIME_LENGTH, '0'), 32);
  const isTime = ref.startsWith('0') && time <= Date.now();
  // One day of tolerance, for clocks that were set back.
  return isTime ? time - DAY_MS : 0;
}

function ambiguousTaskError(ref: string, candidates: readonly Pick<Task, 'taskId'>[]): TaskError {
  const ids = candidates.map(({ taskId }) => taskId);
  const message = `${JSON.stringify(ref)} could be ${toCandidatesText(ids)}; give more characters`;
  return new TaskError('AMBIGUOUS_ID', message, { data: { candidates: ids } });
}
