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
