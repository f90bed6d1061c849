import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerFate } from '../../dialects/server-port.ts';
import { ANSWER_READ_AFTER_MS } from '../../limits.ts';

/** Callbacks for the next request on a connection. */
const waiting = new WeakMap<Socket, Set<(next: ServerResponse) => void>>();

/** Notes a new request: earlier answers on its connection have been read. */
export function recordRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  for (const onRequest of waiting.get(socket) ?? []) onRequest(response);
}

const DISCONNECT_EVENTS = ['end', 'close', 'error'] as const;

/**
 * Follows an answer by its connection: read when another request comes on it, or when it outlives the answer for a
 * while; lost when it breaks before that. A close announced by the request itself proves nothing.
 */
export function followHttpAnswer({ socket, headers }: IncomingMessage, response: ServerResponse): Promise<AnswerFate> {
  return new Promise((resolve) => {
    const others = waiting.get(socket) ?? new Set();
    waiting.set(socket, others);
    const isClosing = !response.shouldKeepAlive || /\bclose\b/i.test(headers.connection ?? '');
    let isFollowed = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (fate: AnswerFate) => {
      clearTimeout(timer);
      others.delete(onRequest);
      for (const event of DISCONNECT_EVENTS) socket.off(event, onBroken);
      resolve(fate);
    };
    const onRequest = (next: ServerResponse) => {
      if (isFollowed || !response.writableFinished) return;
      isFollowed = true;
      // Only after that request has been handled: it may cancel the very request that was answered.
      next.once('close', () => end('read'));
    };
    const onBroken = (error?: unknown) => {
      const isMeant = isClosing && response.writableFinished && !(error instanceof Error);
      end(isFollowed || isMeant ? 'read' : 'lost');
    };
    others.add(onRequest);
    for (const event of DISCONNECT_EVENTS) socket.on(event, onBroken);
    response.once('finish', () => {
      // Process pending socket events first: on a busy machine the connection may have broken long before this timer runs.
      timer = setTimeout(() => setImmediate(() => setImmediate(() => end('read'))), ANSWER_READ_AFTER_MS);
      timer.unref();
    });
    if (socket.destroyed) end('lost');
  });
}
