/**
 * Serves Node requests inside a web framework: Express, Connect, Fastify.
 *
 * Middleware may have read the body already; if it passes the body on, the request is served all the same. A request
 * that cannot be served gets an error that names the remedy, because no other handler would answer it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TaskError } from '../../errors.ts';
import { refuseFailed } from '../admission/refusals.ts';
import type { BodySource } from './body.ts';
import { type Gate, unprotectedFetchError } from './gate.ts';
import { type NodeServing, serveNode } from './node-adapter.ts';

/** The type of `server.node`, which also works as a middleware: then the third argument is `next`, and is never called. */
export type NodeHandler = (message: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => Promise<void>;

export interface NodeHandlerOptions extends Omit<NodeServing, 'gate'> {
  /** Without a gate every request is refused. */
  readonly gate: Gate | undefined;
}

export function createNodeHandler({ gate, serve, report }: NodeHandlerOptions): NodeHandler {
  const refuse = async (fault: TaskError) => {
    report(fault);
    return refuseFailed(fault);
  };
  return async (message, response, parsedBody) => {
    const body = findBody(message, typeof parsedBody === 'function' ? undefined : parsedBody);
    const fault = gate === undefined ? unprotectedFetchError() : body === undefined ? bodyConsumedError() : undefined;
    const serving = { report, gate: gate ?? rejectEveryone, serve: fault === undefined ? serve : () => refuse(fault) };
    await serveNode(serving, { message, response, body: body ?? (() => message) });
  };
}

async function rejectEveryone(): Promise<undefined> {
  return undefined;
}

/** The body that was passed in, else the unread one of the request, else the one that a parser left on the request. */
function findBody(message: IncomingMessage & { readonly body?: unknown }, given: unknown): BodySource | undefined {
  const isUnread = !message.readableDidRead && !message.readableEnded;
  if (given === undefined && (isUnread || message.method !== 'POST'))
    return () => message.iterator({ destroyOnReturn: false });
  const bytes = toBytes(given ?? message.body);
  return bytes && (() => toChunks(bytes));
}

function toBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function bodyConsumedError(): TaskError {
  return new TaskError(
    'INVALID_ARGUMENT',
    'server.node got a request whose body something before it has read and not left in req.body; hand it on as the third argument: server.node(request.raw, reply.raw, request.body)',
  );
}
