/** What an event stream of MCP is answered with. */
export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  // Proxies that buffer would keep the comments from doing their work.
  'X-Accel-Buffering': 'no',
} as const;

const encoder = new TextEncoder();

/** One message as a frame. A JSON text has no line breaks of its own. */
export function toFrame(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`);
}

/** The frame of an event, with its id. */
export function withId(eventId: string, frame: Uint8Array): Uint8Array {
  return Buffer.concat([encoder.encode(`id: ${eventId}\n`), frame]);
}

export interface CursorFrame {
  /** How long a client that lost the stream waits before it comes back. */
  readonly retryMs: number;
  /** Without data, as 2025-11-25 wants it. Clients of before read that as a broken message, but skip events of other names. */
  readonly isEmpty: boolean;
}

/** An event that carries nothing but its id. */
export function toCursorFrame(eventId: string, { retryMs, isEmpty }: CursorFrame): Uint8Array {
  const rest = isEmpty ? 'data:' : 'event: cursor\ndata: {}';
  return encoder.encode(`id: ${eventId}\nretry: ${retryMs}\n${rest}\n\n`);
}

/** A frame that only says when to come back. */
export function toRetryFrame(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`);
}

/** A frame that says nothing, and keeps clients and proxies from giving up. */
export const COMMENT = encoder.encode(': keepalive\n\n');

export function isEventStream(response: Response): boolean {
  return response.body !== null && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/** The JSON-RPC messages of an event stream; comments are skipped. */
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
