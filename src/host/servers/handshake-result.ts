/**
 * Captures the raw result of the handshake.
 *
 * The SDK's client keeps only what it knows: it drops capabilities of other protocols and of later versions.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';

/** Listens on a transport before a client uses it. Returns a function that stops listening and returns the captured result. */
export function captureHandshakeResult(transport: Transport): () => JsonObject | undefined {
  let handshakeResult: JsonObject | undefined;
  let isOver = false;
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!isOver) handshakeResult = readHandshakeResult(message) ?? handshakeResult;
    onmessage?.(message, extra);
  };
  return () => {
    isOver = true;
    return handshakeResult;
  };
}

/** Returns the result of `initialize` or `server/discover`. */
function readHandshakeResult(message: JSONRPCMessage): JsonObject | undefined {
  if (!('result' in message) || !isObject(message.result)) return undefined;
  return isObject(message.result.capabilities) ? (message.result as JsonObject) : undefined;
}
