import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { TaskFollower } from '../dialects/tasks-2025/follower.ts';
import type { Connection as TaskConnection } from '../dialects/tasks-2025/question-request.ts';
import { cancelTask, getTask, listTasks, taskResult } from '../dialects/tasks-2025/server.ts';
import type { Engine } from '../engine/engine.ts';
import type { Task } from '../task/record.ts';
import type { Caller } from './caller.ts';
import type { Connection } from './connection.ts';
import type { MethodParts } from './methods-2026.ts';
import { toProtocolError } from './rpc-error.ts';
import type { ServerParts } from './server-parts.ts';

const params = z.looseObject({});

type Answer = (engine: Engine, params: unknown, context: ServerContext) => Promise<object>;

/** Serves `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel` of 2025-11-25. */
export function registerTasks2025({
  parts,
  server,
  toCaller,
  connection,
}: MethodParts & { connection: Connection }): void {
  const serve = (method: string, answer: Answer) => {
    server.setRequestHandler(method, { params }, async (given, context) => {
      try {
        return { ...(await answer(await parts.openEngine(), given, context)) };
      } catch (error) {
        throw toProtocolError(error);
      }
    });
  };
  const { principal } = connection;
  serve('tasks/get', (engine, given) => getTask(engine, principal, given));
  serve('tasks/list', (engine, given) => listTasks(engine, principal, given));
  serve('tasks/cancel', (engine, given) => cancelTask(engine, principal, given));
  serve('tasks/result', (engine, given, context) => {
    const caller = toCaller(context);
    const { id, signal } = context.mcpReq;
    const { resultPolicy: policy, clock } = parts;
    const line = toTaskConnection(connection, caller, id);
    return taskResult({ engine, principal, policy, client: caller.client, clock, connection: line, signal }, given);
  });
}

/** What a connection hears of its tasks while it lasts. */
export interface TaskLine {
  /** Keeps the client informed about a task it was given. */
  follow(caller: Caller, task: Task): void;
  /** Stops telling; the work goes on. */
  close(): void;
}

/** The standing line of a connection; it does nothing where there is none. */
export function createTaskLine(parts: ServerParts, connection: Connection): TaskLine {
  let follower: Promise<TaskFollower> | undefined;
  let isClosed = false;
  const open = async (line: TaskConnection) => {
    const report = (error: unknown) => {
      if (!isClosed) parts.report(error);
    };
    return new TaskFollower({ engine: await parts.openEngine(), connection: line, report });
  };
  return {
    follow(caller, task) {
      const line = toTaskConnection(connection, caller);
      if (!line || isClosed) return;
      follower ??= open(line);
      follower.then((opened) => (isClosed ? undefined : opened.follow(task))).catch((error) => parts.report(error));
    },
    close() {
      isClosed = true;
      follower?.then((opened) => opened.close()).catch((error) => parts.report(error));
    },
  };
}

function toTaskConnection(
  connection: Connection,
  caller: Caller,
  relatedId?: string | number,
): TaskConnection | undefined {
  const { notify, sendRequest, asked } = connection;
  if (!notify || !sendRequest) return undefined;
  return {
    notify,
    request: (id, method, requestParams) => sendRequest({ id, method, params: requestParams }, relatedId),
    capabilities: caller.capabilities,
    ...(asked && { asked }),
  };
}
