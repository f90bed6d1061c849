/** Response headers of an MCP event stream. */
export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  // Proxies that buffer would hold back the keep-alive comments.
  'X-Accel-Buffering': 'no',
} as const;

const encoder = new TextEncoder();

/** Encodes one message as a frame. JSON text contains no line breaks. */
export function toFrame(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`);
}

/** Adds an id to the frame of an event. */
export function withId(eventId: string, frame: Uint8Array): Uint8Array {
  return Buffer.concat([encoder.encode(`id: ${eventId}\n`), frame]);
}

export interface CursorFrame {
  /** How long a client that lost the stream waits before it reconnects. */
  readonly retryMs: number;
  /** Without data, as 2025-11-25 requires. Earlier clients take that for a broken message, but skip events with other names. */
  readonly isEmpty: boolean;
}

/** Encodes an event that carries only its id. */
export function toCursorFrame(eventId: string, { retryMs, isEmpty }: CursorFrame): Uint8Array {
  const rest = isEmpty ? 'data:' : 'event: cursor\ndata: {}';
  return encoder.encode(`id: ${eventId}\nretry: ${retryMs}\n${rest}\n\n`);
}

/** Encodes a frame that only sets the reconnect delay. */
export function toRetryFrame(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`);
}

/** A keep-alive frame without content, so that clients and proxies do not time out. */
export const COMMENT = encoder.encode(': keepalive\n\n');

export function isEventStream(response: Response): boolean {
  return response.body !== null && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/** Yields the JSON-RPC messages of an event stream; comments are skipped. */
export async function* readMessages(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n'));
    }
  }
}
