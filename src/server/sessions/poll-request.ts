import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { isEventStream } from '../sse/sse-frames.ts';

/**
 * Whether the body only polls the state of a task.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
 */
export function isPoll(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === 'tasks/get' && isJSONRPCRequest(body);
}

/** A poll needs a plain answer; the SDK sends every answer as a stream. */
export async function toPlainAnswer(response: Response): Promise<Response> {
  if (!isEventStream(response)) return response;
  const json = /^data: (.*)$/m.exec(await response.text())?.[1];
  const sessionId = response.headers.get('mcp-session-id');
  const headers = { 'content-type': 'application/json', ...(sessionId !== null && { 'mcp-session-id': sessionId }) };
  return json === undefined ? new Response(null, { status: 202 }) : new Response(json, { headers });
}
