/** Replaces oversized answers with an error that says how large they are. */
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import { toRpcCode } from '../../errors.ts';
import { MAX_ANSWER_BYTES, RETRY_AFTER_MS, UNREAD_BYTES } from '../../limits.ts';
import { toMinJsonBytes } from '../frames/json-size.ts';
import type { Connection } from './connection.ts';
import { rewriteOutgoing } from './outgoing.ts';

/**
 * Replaces answers that their client could not accept or does not read, or that cannot be serialized because of their
 * size. `onUnread` is called for each answer held back because its client does not read.
 */
export function limitAnswerSizes(
  server: Server,
  { holdAnswer = () => true }: Connection,
  onUnread: (requestId: string | number) => void,
): void {
  rewriteOutgoing(server, (message) =>
    toLimited(message, (requestId, bytes) => {
      const isHeld = holdAnswer(requestId, bytes);
      if (!isHeld) onUnread(requestId);
      return isHeld;
    }),
  );
}

function toLimited(message: JSONRPCMessage, hold: NonNullable<Connection['holdAnswer']>): JSONRPCMessage {
  if (!('result' in message)) return message;
  const bytes = toMinJsonBytes(message.result);
  if (bytes <= MAX_ANSWER_BYTES) return hold(message.id, bytes) ? message : unreadError(message.id);
  const code = 'RESULT_TOO_LARGE';
  const text = `the answer is at least ${bytes} bytes of JSON; expected at most ${MAX_ANSWER_BYTES}`;
  const data = { code, bytes, maxBytes: MAX_ANSWER_BYTES };
  return { jsonrpc: '2.0', id: message.id, error: { code: toRpcCode(code), message: text, data } };
}

/** The work is done: its result can be requested again once the earlier answers have been read. */
function unreadError(id: string | number): JSONRPCMessage {
  const code = 'QUOTA_EXCEEDED';
  const max = UNREAD_BYTES.perPrincipal;
  const retryAfterMs = RETRY_AFTER_MS.min;
  const message = `answers wait to be read; expected at most ${max} bytes of them: read them, and ask again in ${retryAfterMs} ms`;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: toRpcCode(code), message, data: { code, limit: 'unread', max, retryAfterMs } },
  };
}
