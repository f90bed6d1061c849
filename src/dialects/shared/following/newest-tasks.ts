import type { TaskClient } from '../../../engine/task-client.ts';
import type { Task } from '../../../task/record.ts';

const PAGE = 100;
// A client can ask for older tasks; a stream must not wait for a store full of others.
const MAX_PAGES = 10;

/** Lists the newest thousand tasks of a principal. */
export async function* listNewestTasks(engine: TaskClient, principal: string): AsyncGenerator<Task, void, undefined> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await engine.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) }, { principal });
    yield* page.tasks;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
