/** The verbs that take tasks in and find them again. */
import { toFingerprint } from '../../task/json.ts';
import type { NewTask, Task } from '../../task/record.ts';
import { parseCursor, toCursor } from '../cursor.ts';
import { decideCreate } from '../decide.ts';
import type { NewHold } from '../hold-contract.ts';
import type { CreateResult, TaskFilter, TaskPage } from '../task-contract.ts';
import { toFrozen } from './frozen.ts';
import { addHold, joinHold } from './memory-holds.ts';
import type { MemoryState } from './memory-state.ts';
import type { TaskRow } from './task-row.ts';

export function create(
  state: MemoryState,
  newTask: NewTask,
  { queueLimit, hold }: { readonly queueLimit: number; readonly hold?: NewHold },
): CreateResult {
  const { tasks, now } = state;
  const { tool, alias, principal, identity } = newTask;
  const fingerprint = toFingerprint(newTask.args);
  const byKey = toNamesake(tasks.findByKey(newTask, newTask.idempotencyKey));
  const byAlias = alias === undefined ? undefined : toNamesake(tasks.find({ alias, principal, identity }));
  const decision = decideCreate({ tool, fingerprint }, { byKey, byAlias });
  if (decision.kind === 'conflict') return decision;
  const joined = (decision.kind === 'join' ? tasks.find(decision) : undefined) ?? (hold && joinHold(state, hold));
  if (joined) return { kind: 'joined', task: joined.task };
  const queued = tasks.queued(identity);
  if (queued >= queueLimit) return { kind: 'full', queued };
  const { task } = tasks.add(toTask(newTask, now), fingerprint, { type: 'submitted' });
  if (hold) addHold(state, task.taskId, hold);
  return { kind: 'created', task };
}

export function list(state: MemoryState, filter: TaskFilter): TaskPage {
  const before = filter.cursor === undefined ? Number.POSITIVE_INFINITY : parseCursor(filter.cursor);
  const page: TaskRow[] = [];
  for (const row of state.tasks.newest.backwards((other) => other.row >= before)) {
    if (!passes(row.task, filter)) continue;
    page.push(row);
    if (page.length > filter.limit) break;
  }
  const tasks = page.slice(0, filter.limit).map((row) => row.task);
  const last = page[filter.limit - 1];
  return page.length > filter.limit && last ? { tasks, nextCursor: toCursor(last.row) } : { tasks };
}

function toNamesake(row: TaskRow | undefined) {
  return row && { taskId: row.task.taskId, tool: row.task.tool, fingerprint: row.fingerprint };
}

function toTask(newTask: NewTask, now: number): Task {
  return toFrozen({
    ...newTask,
    status: 'queued',
    createdAt: now,
    updatedAt: now,
    runAt: now,
    attempt: 0,
    fence: 0,
    questions: [],
    lastSeq: 0,
  } satisfies Task);
}

function passes(task: Task, filter: TaskFilter): boolean {
  if (filter.principal !== undefined && task.principal !== filter.principal) return false;
  if (filter.identity !== undefined && task.identity !== filter.identity) return false;
  if (filter.tool !== undefined && task.tool !== filter.tool) return false;
  return filter.status === undefined || task.status === filter.status;
}
