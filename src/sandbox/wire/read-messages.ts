import { EventText, isEventStream } from './event-text.ts';

export type Result = Readonly<Record<string, unknown>>;

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Result;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Yields the messages of a response, one or a stream of them; throws the signal's reason when it aborts. */
export async function* readMessages(response: Response, signal: AbortSignal): AsyncGenerator<Message> {
  if (!isEventStream(response)) {
    yield JSON.parse(await response.text()) as Message;
    return;
  }
  const body = response.body as ReadableStream<Uint8Array>;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  const events = new EventText();
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return;
    for (const data of events.push(decoder.decode(value, { stream: true }))) yield JSON.parse(data) as Message;
  }
}
