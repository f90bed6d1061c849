/**
 * Answers `tasks/get`, `tasks/list`, `tasks/cancel` and `tasks/result` of MCP 2025-11-25.
 *
 * A client sees the tasks that its own principal created in this dialect, and its jobs, streams and calls answered by a
 * log. Any other task is reported as not found.
 */
import type { TaskClient } from '../../engine/task-client.ts';
import { isTaskError } from '../../errors.ts';
import type { ClientName } from '../../task/actor.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import { findTask, isReadable2025, parseTaskId } from './find-task.ts';
import { type Task2025, toStatus2025, toTask2025 } from './wire.ts';

export { taskResult } from './task-result.ts';

/** Who sends a request, and through which client. */
export interface TaskCaller {
  readonly principal: string;
  readonly client?: ClientName | undefined;
}

/** `tasks/get` */
export async function getTask(
  engine: Pick<TaskClient, 'get' | 'now'>,
  principal: string,
  params: unknown,
): Promise<Task2025> {
  return toTask2025(await findTask(engine, principal, parseTaskId('tasks/get', params)), engine.now());
}

/** `tasks/cancel`: the task is cancelled when this resolves. */
export async function cancelTask(engine: TaskClient, who: TaskCaller, params: unknown): Promise<Task2025> {
  const found = await findTask(engine, who.principal, parseTaskId('tasks/cancel', params));
  const { cancelled, task } = isTerminal(found.status)
    ? { cancelled: false, task: found }
    : await engine.cancel(found.taskId, { ...who, reason: 'The task was cancelled by request.' });
  if (cancelled) return toTask2025(task, engine.now());
  throw invalidParams(`Cannot cancel task: already in terminal status '${toStatus2025(task)}'`);
}

export type TaskList2025 = { readonly tasks: readonly Task2025[]; readonly nextCursor?: string };

const PAGE = 100;
// Tasks of other dialects are skipped; a store full of them must not hold up one request for long.
const MAX_PAGES = 20;

/** `tasks/list`: newest first. A page that is not the last may be short, and even empty. */
export async function listTasks(engine: TaskClient, principal: string, params: unknown): Promise<TaskList2025> {
  let cursor = parseCursor(params);
  let tasks: readonly Task[] = [];
  for (let pages = 0; pages < MAX_PAGES && tasks.length === 0; pages++) {
    const page = await readPage(engine, principal, cursor);
    tasks = page.tasks.filter((task) => isReadable2025(task) && task.outcome?.kind !== 'expired');
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const now = engine.now();
  const shown = tasks.map((task) => toTask2025(task, now));
  return { tasks: shown, ...(cursor === undefined ? {} : { nextCursor: toCursor(cursor) }) };
}

async function readPage(
  engine: TaskClient,
  principal: string,
  cursor: string | undefined,
): ReturnType<TaskClient['list']> {
  try {
    return await engine.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, { principal });
  } catch (error) {
    if (isTaskError(error, 'INVALID_ARGUMENT')) throw unknownCursor();
    throw error;
  }
}

const CURSOR_MARK = 'tasks:';

function toCursor(cursor: string): string {
  return Buffer.from(CURSOR_MARK + cursor).toString('base64url');
}

function parseCursor(params: unknown): string | undefined {
  const cursor = (params as { readonly cursor?: unknown } | null | undefined)?.cursor;
  if (cursor === undefined) return undefined;
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  const inner = text.slice(CURSOR_MARK.length);
  // Accepts only cursors that were handed out: decoding alone would accept many misspelt ones.
  if (toCursor(inner) === cursor) return inner;
  throw unknownCursor();
}

function unknownCursor() {
  return invalidParams('Invalid params: tasks/list cursor must be what an earlier page returned as nextCursor');
}
