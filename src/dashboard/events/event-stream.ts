/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { Principal } from '../../index.ts';
import { toAnswer } from '../http/answers.ts';
import { type EventHub, isFor, type NumberedEvent } from './event-hub.ts';

export interface StreamOptions {
  /** The id of the last event that the page has seen. */
  readonly after: string | undefined;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  onClosed(): void;
}

const PING_MS = 20_000;
// A page that does not read must not fill our memory: its stream is closed, and it reconnects and resumes by its cursor.
const MAX_WAITING = 1000;

/** Streams events after the cursor until the page disconnects. */
export function openEventStream(hub: EventHub, { after, principal, signal, onClosed }: StreamOptions): Response {
  const encoder = new TextEncoder();
  let close = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) < -MAX_WAITING) return close();
        controller.enqueue(encoder.encode(text));
      };
      const sendEvent = (event: NumberedEvent) =>
        send(isFor(event, principal) ? toFrame(event) : `id: ${event.id}\n\n`);
      const ping = setInterval(() => send(': ping\n\n'), PING_MS);
      ping.unref();
      const stop = hub.onEvent(sendEvent);
      close = () => {
        close = () => {};
        clearInterval(ping);
        stop();
        signal.removeEventListener('abort', onAbort);
        onClosed();
        controller.close();
      };
      const onAbort = () => close();
      signal.addEventListener('abort', onAbort);
      send('retry: 500\n\n');
      const missed = hub.after(after);
      if (missed) for (const event of missed) sendEvent(event);
      else send(toFrame({ id: hub.cursor, type: 'reset', data: {} }));
      if (signal.aborted) close();
    },
    cancel: () => close(),
  });
  return toAnswer(body, 200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
}

function toFrame({ id, type, data }: NumberedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
