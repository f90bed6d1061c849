import { toSseData } from '../server/sse-data.ts';

export type Result = Readonly<Record<string, unknown>>;

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Result;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The messages of a response, one or a stream of them, until the signal aborts; then throws its reason. */
export async function* readMessages(response: Response, signal: AbortSignal): AsyncGenerator<Message> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield JSON.parse(await response.text()) as Message;
    return;
  }
  const body = response.body as ReadableStream<Uint8Array>;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const data of frames.flatMap(toSseData)) yield JSON.parse(data) as Message;
  }
}
