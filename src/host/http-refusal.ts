import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { JsonObject, Reply } from '../dialects/host-port.ts';

/** An HTTP status instead of an answer. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** The error of JSON-RPC in its body. */
  readonly reply: Reply | undefined;
}

/** Reads what the transport throws when the server answers with a status that is no success. */
export function readRefusal(error: unknown): Refusal | undefined {
  const { data } = (error ?? {}) as { data?: { status?: unknown; text?: unknown } };
  if (typeof data?.status !== 'number') return undefined;
  const text = typeof data.text === 'string' ? data.text : '';
  return { status: data.status, text, reply: parseReply(text) };
}

/** Whether nothing listened there, so that nothing can have arrived. */
export function isUnreachable(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return true;
  return cause !== undefined && cause !== error && isUnreachable(cause);
}

export function toRefusedReply({ status, text }: Refusal): Reply {
  return { kind: 'error', error: { code: -32000, message: `the server answered with HTTP status ${status}: ${text}` } };
}

export function toReply(message: JSONRPCMessage): Reply {
  if ('error' in message) return { kind: 'error', error: message.error as (Reply & { kind: 'error' })['error'] };
  return { kind: 'result', result: ('result' in message ? message.result : {}) as JsonObject };
}

function parseReply(text: string): Reply | undefined {
  try {
    const message = JSON.parse(text) as { error?: { code?: unknown; message?: unknown }; id?: unknown };
    const isAnswer = typeof message.error?.code === 'number' && typeof message.error.message === 'string';
    // Without an id it speaks of the connection, not of the request.
    return isAnswer && message.id !== null && message.id !== undefined ? toReply(message as never) : undefined;
  } catch {
    return undefined;
  }
}
