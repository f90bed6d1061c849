import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cancelTask, getTask, type TaskAddress, updateTask } from '../../dialects/tasks-2026/server.ts';
import { toMissingExtension } from '../../dialects/tasks-2026/wire.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Caller } from '../calls/caller.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Connection } from './connection.ts';
import { toConnectionError } from './rpc-error.ts';

export interface MethodParts {
  readonly parts: ServerParts;
  readonly server: Server;
  readonly connection: Connection;
  toCaller(context: ServerContext): Caller;
}

const params = z.looseObject({ taskId: z.string() });

/** Serves `tasks/get`, `tasks/update` and `tasks/cancel` of 2026-07-28. */
export function registerTasks2026({ parts, server, toCaller, connection }: MethodParts): void {
  const serve = (
    method: string,
    answer: (engine: Engine, address: TaskAddress, asking: Asking) => Promise<object | undefined>,
  ) => {
    // The form with a schema is the one that the SDK lets extensions use for these names.
    server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
      try {
        const caller = toCaller(context);
        if (!caller.declaresTasks) throw toMissingExtension();
        const engine = await parts.openEngine();
        const { principal, client } = caller;
        return { ...(await answer(engine, { taskId, principal, client }, { caller, context })) };
      } catch (error) {
        throw toConnectionError(error, { connection, parts });
      }
    });
  };
  serve('tasks/get', (engine, address, { caller }) => getTask(engine, address, caller.capabilities));
  serve('tasks/cancel', (engine, address) => cancelTask(engine, address).then(() => undefined));
  serve('tasks/update', (engine, address, { context }) =>
    updateTask(engine, address, readResponses(context)).then(() => undefined),
  );
}

interface Asking {
  readonly caller: Caller;
  readonly context: ServerContext;
}

/** The SDK lifts the responses off the parameters of every request, and sets aside those that are no results. */
export function readResponses({ mcpReq }: ServerContext): { readonly [key: string]: unknown } {
  const dropped = (mcpReq.droppedInputResponseKeys ?? []).map((key) => [key, undefined]);
  return { ...mcpReq.inputResponses, ...Object.fromEntries(dropped) };
}
