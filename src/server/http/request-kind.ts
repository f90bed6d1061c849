/** Checks which kind of request was passed in: web requests and Node requests are easily mixed up. */
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';

/** Throws unless it is a web request. */
export function requireWebRequest(request: unknown): void {
  if (isWebRequest(request)) return;
  const remedy = isNodeRequest(request)
    ? 'got a request of Node (Express, Connect, Fastify); use server.node(req, res) for those'
    : hasRaw(request, isWebRequest)
      ? 'got what a framework wraps around one; pass it on: server.fetch(c.req.raw)'
      : 'got something else';
  throw new TaskError('INVALID_ARGUMENT', `server.fetch takes a Request of the web, and ${remedy}`);
}

/** Throws unless they are a Node request and a Node response. */
export function requireNodeRequest(request: unknown, response: unknown): void {
  if (isNodeRequest(request) && isNodeResponse(response)) return;
  const remedy = isWebRequest(request)
    ? 'got a Request of the web; use server.fetch(request) for those'
    : hasRaw(request, isNodeRequest)
      ? 'got what a framework wraps around them; pass them on: server.node(request.raw, reply.raw, request.body)'
      : 'got something else';
  throw new TaskError('INVALID_ARGUMENT', `server.node takes a request and a response of Node, and ${remedy}`);
}

function isWebRequest(request: unknown): boolean {
  return isObject(request) && isObject(request.headers) && typeof request.headers.get === 'function';
}

function isNodeRequest(request: unknown): boolean {
  return isObject(request) && isObject(request.headers) && isObject(request.socket) && 'httpVersion' in request;
}

function isNodeResponse(response: unknown): boolean {
  return isObject(response) && typeof response.writeHead === 'function' && typeof response.end === 'function';
}

function hasRaw(request: unknown, isKind: (raw: unknown) => boolean): boolean {
  return isObject(request) && isKind(request.raw);
}
