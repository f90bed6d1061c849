import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { InputCapabilities } from '../../dialects/mcp-input.ts';
import { isTask2025 } from '../../dialects/tasks-2025/find-task.ts';
import { TaskFollower } from '../../dialects/tasks-2025/follower.ts';
import type { QuestionChannel } from '../../dialects/tasks-2025/question-request.ts';
import { cancelTask, getTask, listTasks, taskResult } from '../../dialects/tasks-2025/server.ts';
import { listSessionTasks } from '../../dialects/tasks-2025/session-tasks.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Task } from '../../task/record.ts';
import type { ServerParts } from '../server-parts.ts';
import { hasTasks } from '../tools/has-tasks.ts';
import type { Connection } from './connection.ts';
import type { MethodParts } from './methods-2026.ts';
import { toConnectionError } from './rpc-error.ts';

const params = z.looseObject({});

type Answer = (engine: Engine, params: unknown, context: ServerContext) => Promise<object>;

/** Serves `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel` of 2025-11-25. */
export function registerTasks2025({ parts, server, toCaller, connection }: MethodParts): void {
  const serve = (method: string, answer: Answer) => {
    server.setRequestHandler(method, { params }, async (given, context) => {
      try {
        return { ...(await answer(await parts.openEngine(), given, context)) };
      } catch (error) {
        throw toConnectionError(error, { connection, parts });
      }
    });
  };
  const { principal } = connection;
  serve('tasks/get', (engine, given) => getTask(engine, principal, given));
  serve('tasks/list', (engine, given) => listTasks(engine, principal, given));
  serve('tasks/cancel', (engine, given, context) => {
    const { client } = toCaller(context);
    return cancelTask(engine, { principal, client }, given);
  });
  serve('tasks/result', (engine, given, context) => {
    const caller = toCaller(context);
    const { id, signal } = context.mcpReq;
    const { resultPolicy: policy, clock } = parts;
    const line = toQuestionChannel(connection, caller.capabilities, id);
    const onWait = ({ taskId, tool, lastSeq: seq }: Task, wait: boolean | undefined) =>
      connection.mark?.(id, { taskId, tool, seq, startedAt: clock.now(), result: wait === undefined ? {} : { wait } });
    const asking = { policy, client: caller.client, clock, connection: line, signal, onWait };
    return taskResult({ engine, principal, ...asking }, given);
  });
}

/** What a connection hears of its tasks while it lasts. */
export interface TaskLine {
  /** Keeps the client informed about a task it was given. */
  follow(task: Task): void;
  /** Stops telling; the work goes on. */
  close(): void;
}

/** The standing line of a connection; it does nothing where there is none. */
export function createTaskLine(
  parts: ServerParts,
  connection: Connection,
  readCapabilities: () => InputCapabilities,
): TaskLine {
  let opened: Promise<TaskFollower | undefined> | undefined;
  let isClosed = false;
  const report = (error: unknown) => {
    if (!isClosed) parts.report(error);
  };
  const open = async (): Promise<TaskFollower | undefined> => {
    const { notify } = connection;
    const line = toQuestionChannel(connection, readCapabilities());
    if (!line || !notify) return undefined;
    return new TaskFollower({ engine: await parts.openEngine(), connection: { ...line, notify }, report });
  };
  const withFollower = (use: (follower: TaskFollower) => unknown) => {
    if (isClosed) return;
    opened ??= open();
    opened.then((follower) => (isClosed || !follower ? undefined : use(follower))).catch(report);
  };
  const resumeLater = (task: Task) => {
    if (isTask2025(task)) withFollower((follower) => follower.resume(task));
  };
  let watching: Promise<() => void> | undefined;
  const stopListening = connection.onStandingStream?.(() => {
    const { sessionId } = connection;
    if (sessionId === undefined || !hasTasks(parts.tools)) return;
    // What begins while the list is read is heard of too.
    watching ??= parts.sessionWatch.watch(sessionId, resumeLater);
    withFollower((follower) => watching?.then(() => resume(parts, connection, follower)));
  });
  return {
    follow: (task) => withFollower((follower) => follower.follow(task)),
    close() {
      isClosed = true;
      stopListening?.();
      watching?.then((stopWatching) => stopWatching()).catch(parts.report);
      opened?.then((follower) => follower?.close()).catch(parts.report);
    },
  };
}

/** How to ask a client on the stream of one request, or on its standing stream; nothing where it cannot be asked. */
export function toQuestionChannel(
  { sendRequest, canSend, asked }: Connection,
  capabilities: InputCapabilities,
  relatedId?: string | number,
): QuestionChannel | undefined {
  if (!sendRequest || !canSend || !asked) return undefined;
  return {
    capabilities,
    asked,
    canSend: () => canSend(relatedId),
    request: (id, method, given) => sendRequest({ id, method, params: given }, relatedId),
  };
}

/** Takes up what the session has begun, here or on another server. */
async function resume(parts: ServerParts, connection: Connection, follower: TaskFollower): Promise<void> {
  const { principal, sessionId } = connection;
  if (sessionId === undefined) return;
  const engine = await parts.openEngine();
  for await (const task of listSessionTasks(engine, { principal, sessionId })) follower.resume(task);
}
