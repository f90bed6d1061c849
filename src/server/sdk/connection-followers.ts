/**
 * What a connection hears of its jobs and runs.
 *
 * A stdio connection hears of those that were begun on it; a session of all that are its own, on whichever server its
 * stream is open.
 */
import { JobFollower } from '../../dialects/job/follower.ts';
import { isSessionJob } from '../../dialects/job/session-jobs.ts';
import { listNewestTasks } from '../../dialects/newest-tasks.ts';
import { type FollowedRun, StreamFollower } from '../../dialects/stream/follower.ts';
import { isSessionRun } from '../../dialects/stream/run-label.ts';
import type { Task } from '../../task/record.ts';
import { toJobChannel } from '../calls/job-end.ts';
import { toStreamChannel } from '../calls/stream-channel.ts';
import type { ServerParts } from '../server-parts.ts';
import { hasTasks } from '../tools/has-tasks.ts';
import type { Connection } from './connection.ts';

/** What a connection hears of what was begun on it. */
export interface ConnectionFollowers {
  followJob(task: Task): void;
  followRun(run: FollowedRun): void;
  /** Stops telling; the work goes on. */
  close(): void;
}

interface Followers {
  readonly jobs: JobFollower;
  readonly runs: StreamFollower;
}

type WithFollowers = (use: (followers: Followers) => unknown) => void;

/** Does nothing where there is no way to tell a client something: it asks for the outcome there. */
export function createConnectionNews(parts: ServerParts, connection: Connection): ConnectionFollowers {
  if (!connection.notify) return { followJob() {}, followRun() {}, close() {} };
  let opened: Promise<Followers> | undefined;
  let isClosed = false;
  const report = (error: unknown) => {
    if (!isClosed) parts.report(error);
  };
  const withFollowers: WithFollowers = (use) => {
    if (isClosed) return;
    opened ??= openFollowers(parts, connection, report);
    opened.then((followers) => (isClosed ? undefined : use(followers))).catch(report);
  };
  const stopResuming = resumeOnStream(parts, connection, withFollowers);
  return {
    followJob: (task) => withFollowers(({ jobs }) => jobs.follow(task)),
    followRun: (run) => withFollowers(({ runs }) => runs.follow(run)),
    close() {
      isClosed = true;
      stopResuming();
      opened
        ?.then(({ jobs, runs }) => {
          jobs.close();
          runs.close();
        })
        .catch(parts.report);
    },
  };
}

async function openFollowers(
  parts: ServerParts,
  connection: Connection,
  report: (error: unknown) => void,
): Promise<Followers> {
  const engine = await parts.openEngine();
  const { clock, settings } = parts;
  const errorDetails = settings.errorDetails ?? connection.isLocal === true;
  return {
    jobs: new JobFollower({ engine, line: toJobChannel({ engine, clock }, connection), errorDetails, report }),
    runs: new StreamFollower({
      engine,
      line: toStreamChannel({ engine, clock }, connection),
      now: () => engine.now(),
      report,
    }),
  };
}

/** Takes up what a session has begun, here or on another server, each time its stream opens. */
function resumeOnStream(parts: ServerParts, connection: Connection, withFollowers: WithFollowers): () => void {
  const { sessionId, principal, onStandingStream } = connection;
  if (sessionId === undefined || !onStandingStream) return () => {};
  const resume = (task: Task, { jobs, runs }: Followers) => {
    if (isSessionJob(task, sessionId)) jobs.resume(task);
    else if (isSessionRun(task, sessionId)) runs.resume(task);
  };
  const resumeLater = (task: Task) => withFollowers((followers) => resume(task, followers));
  let watching: Promise<() => void> | undefined;
  const stopListening = onStandingStream(() => {
    // A server whose tools are never tasks touches no store.
    if (!hasTasks(parts.tools)) return;
    withFollowers(async (followers) => {
      // What begins while the list is read is heard of too.
      watching ??= parts.sessionWatch.watch(sessionId, resumeLater);
      await watching;
      for await (const task of listNewestTasks(await parts.openEngine(), principal)) resume(task, followers);
    });
  });
  return () => {
    stopListening();
    watching?.then((stopWatching) => stopWatching()).catch(parts.report);
  };
}
