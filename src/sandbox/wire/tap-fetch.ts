import type { patientFetch } from '../../host/index.ts';
import { EventText, isEventStream } from './event-text.ts';

export type WireFetch = typeof patientFetch;
export type Direction = 'out' | 'in';

/** Called with every message exactly as it was on the wire. */
export type OnWire = (direction: Direction, text: string) => void;

/** Wraps a `fetch` to observe its messages in passing; no request is sent twice. */
export function tapFetch(fetch: WireFetch, onWire: OnWire): WireFetch {
  return async (url, init) => {
    if (typeof init?.body === 'string') onWire('out', init.body);
    const response = await fetch(url, init);
    return response.body ? tap(response, onWire) : response;
  };
}

function tap(response: Response, onWire: OnWire): Response {
  const read = isEventStream(response) ? toEventReader(onWire) : toTextReader(onWire);
  const decoder = new TextDecoder();
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read.take(decoder.decode(chunk, { stream: true }));
      controller.enqueue(chunk);
    },
    flush: () => read.end(),
  });
  const { status, statusText, headers } = response;
  return new Response(response.body?.pipeThrough(passing) ?? null, { status, statusText, headers });
}

interface Reader {
  take(part: string): void;
  end(): void;
}

function toEventReader(onWire: OnWire): Reader {
  const events = new EventText();
  return {
    take(part) {
      for (const data of events.push(part)) onWire('in', data);
    },
    end() {},
  };
}

function toTextReader(onWire: OnWire): Reader {
  const parts: string[] = [];
  return {
    take: (part) => void parts.push(part),
    end() {
      const text = parts.join('');
      if (text !== '') onWire('in', text);
    },
  };
}
