/**
 * Notifies a connection of its work, in the formats of the dialects.
 *
 * A stdio connection is notified of the work that began on it; a session, of all its own work, on whichever server its
 * stream is open.
 */
import type { Follower } from '../../dialects/server-dialect.ts';
import { listNewestTasks } from '../../dialects/shared/following/newest-tasks.ts';
import type { InputCapabilities } from '../../dialects/shared/questions/mcp-input.ts';
import type { Task } from '../../task/record.ts';
import type { ServerParts } from '../server-parts.ts';
import { hasTasks } from '../tools/has-tasks.ts';
import type { Connection } from './connection.ts';
import { toQuestionChannel } from './question-channel.ts';

export interface ConnectionFollowers {
  /** Notifies the client of a task, in the format of this dialect. */
  follow(dialect: string, task: Task, details?: unknown): void;
  /** Stops the notifications; the work goes on. */
  close(): void;
}

/** By dialect name. */
type Followers = ReadonlyMap<string, Follower>;

type WithFollowers = (use: (followers: Followers) => unknown) => void;

/**
 * Creates the followers of a connection; they do nothing where the client cannot be notified: it polls for the outcome
 * there.
 *
 * @param readCapabilities what the client can be asked, once it has declared it
 */
export function createConnectionFollowers(
  parts: ServerParts,
  connection: Connection,
  readCapabilities: () => InputCapabilities,
): ConnectionFollowers {
  if (!connection.notify) return { follow() {}, close() {} };
  let opened: Promise<Followers> | undefined;
  let isClosed = false;
  const report = (error: unknown) => {
    if (!isClosed) parts.report(error);
  };
  const withFollowers: WithFollowers = (use) => {
    if (isClosed) return;
    opened ??= openFollowers(parts, connection, { capabilities: readCapabilities(), report });
    opened.then((followers) => (isClosed ? undefined : use(followers))).catch(report);
  };
  const stopResuming = resumeOnStream(parts, connection, withFollowers);
  return {
    follow: (dialect, task, details) => withFollowers((followers) => followers.get(dialect)?.follow(task, details)),
    close() {
      isClosed = true;
      stopResuming();
      opened?.then((followers) => closeAll(followers)).catch(parts.report);
    },
  };
}

function closeAll(followers: Followers): void {
  for (const follower of followers.values()) follower.close();
}

interface Opening {
  readonly capabilities: InputCapabilities;
  report(error: unknown): void;
}

async function openFollowers(
  { dialects, port, openEngine }: ServerParts,
  connection: Connection,
  { capabilities, report }: Opening,
): Promise<Followers> {
  const engine = await openEngine();
  const { notify = async () => {} } = connection;
  const shown = { ...connection, notify, questions: toQuestionChannel(connection, capabilities) };
  const followers = new Map<string, Follower>();
  for (const dialect of dialects) {
    const follower = dialect.createFollower?.({ connection: shown, engine, report }, port);
    if (follower) followers.set(dialect.name, follower);
  }
  return followers;
}

/** Resumes following the tasks that a session began, here or on another server, each time its stream opens. */
function resumeOnStream(parts: ServerParts, connection: Connection, withFollowers: WithFollowers): () => void {
  const { sessionId, onStandingStream } = connection;
  if (sessionId === undefined || !onStandingStream) return () => {};
  const resumeLater = (task: Task) =>
    withFollowers((followers) => {
      for (const follower of followers.values()) follower.resume?.(task);
    });
  let watching: Promise<() => void> | undefined;
  const stopListening = onStandingStream(() => {
    // A server whose tools are never tasks opens no store.
    if (!hasTasks(parts.tools)) return;
    withFollowers(async (followers) => {
      // Watch first, so that tasks that begin while the list is read are followed too.
      watching ??= parts.sessionWatch.watch(sessionId, resumeLater);
      await watching;
      await resumeAll(parts, connection, [...followers.values()]);
    });
  });
  return () => {
    stopListening();
    watching?.then((stopWatching) => stopWatching()).catch(parts.report);
  };
}

/** Followers that can list their tasks do so; the others share one scan of the newest tasks. */
async function resumeAll(
  { openEngine }: ServerParts,
  { principal }: Connection,
  followers: readonly Follower[],
): Promise<void> {
  for (const follower of followers) {
    for await (const task of follower.listResumable?.() ?? []) follower.resume?.(task);
  }
  const others = followers.filter((follower) => follower.resume && !follower.listResumable);
  if (others.length === 0) return;
  for await (const task of listNewestTasks(await openEngine(), principal)) {
    for (const follower of others) follower.resume?.(task);
  }
}
