/**
 * What a connection hears of its jobs.
 *
 * A stdio connection hears of those that were begun on it; a session of all that are its own, on whichever server its
 * stream is open.
 */
import { JobFollower } from '../dialects/job/follower.ts';
import { isSessionJob, listSessionJobs } from '../dialects/job/session-jobs.ts';
import type { Task } from '../task/record.ts';
import type { Connection } from './connection.ts';
import { hasTasks } from './has-tasks.ts';
import { toJobLine } from './job-end.ts';
import type { ServerParts } from './server-parts.ts';

/** What a connection hears of the jobs that were begun on it. */
export interface JobNews {
  follow(task: Task): void;
  /** Stops telling; the work goes on. */
  close(): void;
}

type WithFollower = (use: (follower: JobFollower) => unknown) => void;

/** Does nothing where there is no way to tell a client something: it asks for the outcome there. */
export function createJobNews(parts: ServerParts, connection: Connection): JobNews {
  if (!connection.notify) return { follow() {}, close() {} };
  let opened: Promise<JobFollower> | undefined;
  let isClosed = false;
  const report = (error: unknown) => {
    if (!isClosed) parts.report(error);
  };
  const open = async () => {
    const engine = await parts.openEngine();
    const errorDetails = parts.settings.errorDetails ?? connection.isLocal === true;
    return new JobFollower({ engine, line: toJobLine(engine, connection), errorDetails, report });
  };
  const withFollower: WithFollower = (use) => {
    if (isClosed) return;
    opened ??= open();
    opened.then((follower) => (isClosed ? undefined : use(follower))).catch(report);
  };
  const stopResuming = resumeOnStream(parts, connection, withFollower);
  return {
    follow: (task) => withFollower((follower) => follower.follow(task)),
    close() {
      isClosed = true;
      stopResuming();
      opened?.then((follower) => follower.close()).catch(parts.report);
    },
  };
}

/** Takes up what a session has begun, here or on another server, each time its stream opens. */
function resumeOnStream(parts: ServerParts, connection: Connection, withFollower: WithFollower): () => void {
  const { sessionId, principal, onStandingStream } = connection;
  if (sessionId === undefined || !onStandingStream) return () => {};
  const resumeLater = (task: Task) => {
    if (isSessionJob(task, sessionId)) withFollower((follower) => follower.resume(task));
  };
  let watching: Promise<() => void> | undefined;
  const stopListening = onStandingStream(() => {
    // A server whose tools are never tasks touches no store.
    if (!hasTasks(parts.tools)) return;
    withFollower(async (follower) => {
      // What begins while the list is read is heard of too.
      watching ??= parts.sessionWatch.watch(sessionId, resumeLater);
      await watching;
      const engine = await parts.openEngine();
      for await (const task of listSessionJobs(engine, { principal, sessionId })) follower.resume(task);
    });
  });
  return () => {
    stopListening();
    watching?.then((stopWatching) => stopWatching()).catch(parts.report);
  };
}
