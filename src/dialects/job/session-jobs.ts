import type { Access } from '../../engine/access.ts';
import type { Task } from '../../task/record.ts';

const PAGE = 100;
// Older jobs can be asked for; a stream must not wait for a store full of others.
const MOST_PAGES = 10;

/** Whose jobs. */
export interface SessionRef {
  readonly principal: string;
  readonly sessionId: string;
}

export function isSessionJob({ labels }: Task, sessionId: string): boolean {
  return labels?.dialect === 'job' && labels.session === sessionId;
}

/** The jobs among the newest thousand tasks of a principal that a session has begun, on whatever server. */
export async function* listSessionJobs(engine: Access, session: SessionRef): AsyncGenerator<Task, void, undefined> {
  const { principal, sessionId } = session;
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await engine.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) }, { principal });
    yield* page.tasks.filter((task) => isSessionJob(task, sessionId));
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
