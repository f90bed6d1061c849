import { RPC_CODES } from '../../../rpc-codes.ts';
import { PendingRequests } from '../pending-requests.ts';
import type { Answer, Connection, JsonObject, Request } from './connection.ts';
import { MessageReader } from './message-reader.ts';
import type { ServerProcess } from './server-process.ts';

/** Incomplete JSON, and a header that cannot be parsed. */
const MALFORMED = { line: '{"jsonrpc":"2.0","id":\n', framed: 'Content-Length: nope\r\n\r\n' } as const;
const METHOD_NOT_FOUND = RPC_CODES.METHOD_NOT_FOUND;

/** Opens a connection over the stdin and stdout of a server. */
export function openPipeConnection(server: ServerProcess, transport: 'line' | 'framed'): Connection {
  const pending = new PendingRequests();
  const reader = new MessageReader();
  const send = (message: JsonObject) => write(server, toFrame({ jsonrpc: '2.0', ...message }, transport));
  const onData = (chunk: Buffer) => {
    for (const message of reader.read(chunk)) {
      if (message.method === undefined) pending.settle(message);
      else if (message.id !== undefined) void send(toReply(message)).catch(() => undefined);
    }
  };
  server.child.stdout.on('data', onData);
  server.ended.then(() => pending.close(new Error('server exited while awaiting response'))).catch(() => undefined);
  return {
    strayResponses: pending.strayResponses,
    async request({ id, method, params, timeoutMs }: Request): Promise<Answer> {
      const answer = pending.expect(id, timeoutMs);
      // When the pipe is closed, the pending request is rejected with the reason.
      await send({ id, method, params }).catch(() => undefined);
      return answer;
    },
    notify: (method, params) => send({ method, params }),
    sendMalformed: () => write(server, MALFORMED[transport]),
    async close() {
      server.child.stdout.off('data', onData);
      pending.close(new Error('the connection is closed'));
    },
  };
}

function toFrame(message: JsonObject, transport: 'line' | 'framed'): string {
  const text = JSON.stringify(message);
  if (transport === 'line') return `${text}\n`;
  return `Content-Length: ${Buffer.byteLength(text)}\r\nContent-Type: application/json\r\n\r\n${text}`;
}

function write(server: ServerProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Answers requests from the server: a soak supports only `ping`. */
function toReply({ id = null, method }: JsonObject): JsonObject {
  if (method === 'ping') return { id, result: {} };
  return { id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
}
