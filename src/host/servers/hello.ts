/**
 * What a server said when it shook hands, as it said it.
 *
 * The SDK's client keeps only what it knows: capabilities of other protocols and of later versions are gone from it.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';

/** Listens on a transport that no client has yet; the returned function stops it, and gives what was heard. */
export function listenForHello(transport: Transport): () => JsonObject | undefined {
  let hello: JsonObject | undefined;
  let isOver = false;
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!isOver) hello = readHello(message) ?? hello;
    onmessage?.(message, extra);
  };
  return () => {
    isOver = true;
    return hello;
  };
}

/** The result of `initialize` or `server/discover`. */
function readHello(message: JSONRPCMessage): JsonObject | undefined {
  if (!('result' in message) || !isObject(message.result)) return undefined;
  return isObject(message.result.capabilities) ? (message.result as JsonObject) : undefined;
}
