import type { TaskClient } from '../../engine/task-client.ts';
import type { Task } from '../../task/record.ts';
import type { Status } from '../../task/status.ts';
import { isTask2025 } from '../shared/questions/related-task.ts';

const PAGE = 100;
// A client can ask for older tasks; its stream must not wait for a store full of tasks of others.
const MAX_PAGES = 10;

/** The session whose tasks are listed. */
export interface SessionRef {
  readonly principal: string;
  readonly sessionId: string;
}

/** Lists the tasks that a session started, on any server, and that have not ended; among the newest thousand of each status. */
export async function* listSessionTasks(
  engine: TaskClient,
  session: SessionRef,
): AsyncGenerator<Task, void, undefined> {
  for (const status of ['input_required', 'working', 'queued'] as const) {
    for await (const task of listByStatus(engine, session.principal, status)) {
      if (isTask2025(task) && task.labels?.session === session.sessionId) yield task;
    }
  }
}

async function* listByStatus(engine: TaskClient, principal: string, status: Status) {
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await engine.list({ status, limit: PAGE, ...(cursor !== undefined && { cursor }) }, { principal });
    yield* page.tasks;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
