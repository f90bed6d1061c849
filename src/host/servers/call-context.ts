/**
 * Finds the call that a server's question is for, where the transport shows it: over HTTP the question arrives on the stream that
 * answers the call.
 *
 * The SDK reads that stream in the asynchronous context of the request that opened it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/** Sends a request so that questions on its response stream can be assigned to this call. */
export function sendInCallContext<T>(callId: string, send: () => T): T {
  return storage.run(callId, send);
}

/** Returns the call on whose stream the current question arrived. */
export function getContextCallId(): string | undefined {
  return storage.getStore();
}
