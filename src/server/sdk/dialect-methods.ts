import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { MethodRequest } from '../../dialects/server-dialect.ts';
import type { Caller, Era } from '../../dialects/server-port.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Connection } from './connection.ts';
import { toQuestionChannel } from './question-channel.ts';
import { toConnectionError } from './rpc-error.ts';

export interface MethodParts {
  readonly parts: ServerParts;
  readonly server: Server;
  readonly connection: Connection;
  toCaller(context: ServerContext): Caller;
}

const ANY = z.looseObject({});

/** Registers the methods of all dialects for an era. */
export function registerMethods(on: MethodParts, era: Era): void {
  const { parts, server, connection } = on;
  for (const { methods = {} } of parts.dialects) {
    for (const [name, method] of Object.entries(methods)) {
      if (method.era !== undefined && method.era !== era) continue;
      // The overload with a schema is the one that the SDK provides for extension methods.
      server.setRequestHandler(name, { params: method.params ?? ANY }, async (params, context) => {
        try {
          return { ...(await method.answer(toRequest(on, params, context), parts.port)) };
        } catch (error) {
          throw toConnectionError(error, { connection, parts });
        }
      });
    }
  }
}

function toRequest({ connection, toCaller }: MethodParts, params: object, context: ServerContext): MethodRequest {
  const caller = toCaller(context);
  const { id, signal } = context.mcpReq;
  const { mark } = connection;
  return {
    params: params as MethodRequest['params'],
    caller,
    signal,
    inputResponses: readResponses(context),
    questions: toQuestionChannel(connection, caller.capabilities, id),
    ...(mark && { mark: (told) => mark(id, told) }),
  };
}

/** Returns all responses of a request: the SDK moves them out of the parameters, and sets aside those that are not results. */
export function readResponses({ mcpReq }: ServerContext): { readonly [key: string]: unknown } {
  const dropped = (mcpReq.droppedInputResponseKeys ?? []).map((key) => [key, undefined]);
  return { ...mcpReq.inputResponses, ...Object.fromEntries(dropped) };
}
