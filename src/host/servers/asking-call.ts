/**
 * Which call a server asks for, where its transport tells: over HTTP it asks on the stream that answers the call.
 *
 * The stream is read by the SDK, in the asynchronous context of the request that opened it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/** Sends a request so that whatever is asked on its stream can be told to be for this call. */
export function sendFor<T>(callId: string, send: () => T): T {
  return storage.run(callId, send);
}

/** The call on whose stream we are being asked. */
export function findAskingCall(): string | undefined {
  return storage.getStore();
}
