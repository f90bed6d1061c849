/** Converts the resumption of a stream into the request whose answer it carries. */

import type { EventPoint, Seal } from '../../dialects/server-port.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { refuse } from '../admission/refusals.ts';
import { RESUMED_META } from '../sdk/connection.ts';
import { type EventOwner, openEvent } from './event-id.ts';

const HEADER = 'last-event-id';

/**
 * Returns where a client wants to resume; undefined without an event id, a refusal for an invalid one.
 *
 * The specification defines no answer to an unknown id. The SDK's server sends 400; clients then retry once or twice
 * and stop. 405 means that there is no stream, and clients do not retry.
 */
export function findResumed(request: Request, seal: Seal, owner: EventOwner): EventPoint | Response | undefined {
  const eventId = request.method === 'GET' ? request.headers.get(HEADER) : null;
  if (eventId === null || eventId === '') return undefined;
  const accepts = request.headers.get('accept')?.includes('text/event-stream');
  if (!accepts) {
    return refuse(406, {
      code: RPC_CODES.SERVER_ERROR,
      message: 'Not Acceptable: Client must accept text/event-stream',
    });
  }
  const point = openEvent(seal, eventId, owner);
  if (!point)
    return refuse(400, {
      code: RPC_CODES.SERVER_ERROR,
      message: 'Bad Request: Last-Event-ID names no event of this session',
    });
  if (!point.isEnd) return point;
  const message = 'Method Not Allowed: the stream of this event has ended';
  return refuse(405, { code: RPC_CODES.SERVER_ERROR, message, headers: { Allow: 'POST, DELETE' } });
}

export interface ResumedCall {
  readonly request: Request;
  readonly body: object;
}

/** Rebuilds the request that the stream answers, with its own id. The arguments of a call are known from its task. */
export function toResumedCall(request: Request, from: EventPoint, token: string): ResumedCall {
  const headers = new Headers(request.headers);
  headers.delete(HEADER);
  headers.set('accept', 'application/json, text/event-stream');
  headers.set('content-type', 'application/json');
  const asking = from.result ? toResultRequest(from) : toCallRequest(from, token);
  const body = { jsonrpc: '2.0', id: from.requestId, ...asking };
  return { request: new Request(request.url, { method: 'POST', headers }), body };
}

function toCallRequest({ tool, progressToken }: EventPoint, token: string) {
  const _meta = { [RESUMED_META]: token, ...(progressToken !== undefined && { progressToken }) };
  return { method: 'tools/call', params: { name: tool, arguments: {}, _meta } };
}

/** Requesting a result again continues the wait for it. */
function toResultRequest({ taskId, result }: EventPoint) {
  return { method: 'tasks/result', params: { taskId, ...result } };
}
