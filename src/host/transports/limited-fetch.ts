/**
 * A `fetch` whose response bodies cannot fill the memory, whatever a server sends and declares as their length.
 *
 * The limits apply to bytes as they are read, after decompression.
 */
import type { FetchLike } from '@modelcontextprotocol/client';
import { ByteCollector } from '../../dialects/shared/bytes/byte-collector.ts';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_REFUSAL_BYTES, MAX_BATCH_MESSAGES } from '../../limits.ts';
import type { AnswerBufferOptions } from './answer-buffer.ts';
import { type EventLimitOptions, limitEvents } from './event-limit.ts';
import { type OversizedAnswer, toRefusedMessage, toTooLargeReply } from './too-large.ts';
import { findWide } from './too-wide.ts';

type Body = ConstructorParameters<typeof Response>[0];

export function limitFetch(fetch: FetchLike, limits: AnswerBufferOptions): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    return limitResponse(response, { ...limits, findRequest: () => readRequestId(init?.body) });
  };
}

async function limitResponse(response: Response, options: EventLimitOptions): Promise<Response> {
  const { body, ok, headers } = response;
  if (!body) return response;
  const [type] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  if (ok && type?.trim() === 'text/event-stream') return withBody(response, body.pipeThrough(limitEvents(options)));
  if (ok && type?.trim() === 'application/json') return withBody(response, await readWhole(response, options));
  return withBody(response, body.pipeThrough(cutAfter(HOST_MAX_REFUSAL_BYTES)));
}

function withBody(response: Response, body: Body): Response {
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}

/** Returns the body, or an error message if the body is too long. */
async function readWhole(response: Response, options: EventLimitOptions): Promise<Body> {
  const { maxAnswerBytes: maxBytes } = options;
  const said = Number(response.headers.get('content-length'));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const kept = new ByteCollector();
  for (;;) {
    const bytes = Math.max(kept.length, said);
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {});
      return toInstead(options, { bytes, maxBytes, isWhole: said > maxBytes });
    }
    const { value, done } = await reader.read();
    if (done) return limitMessages(kept.take(), options);
    kept.add(value);
  }
}

/** A body may contain many messages (revision 2025-03-26), and each costs as much as a single one. */
function limitMessages(body: Buffer, { findRequest }: EventLimitOptions): Body {
  const text = new TextDecoder().decode(body);
  const error = findWide(text)?.error ?? findLongBatch(text);
  if (!error) return body as Buffer<ArrayBuffer>;
  const id = findRequest();
  return id === undefined ? '' : JSON.stringify(toRefusedMessage(id, error));
}

function findLongBatch(text: string): TaskError | undefined {
  const count = countMessages(text);
  if (count <= MAX_BATCH_MESSAGES) return undefined;
  const message = `the server answered with ${count} messages at once; expected ${MAX_BATCH_MESSAGES}`;
  return new TaskError('RESULT_TOO_LARGE', message);
}

function countMessages(text: string): number {
  if (!text.trimStart().startsWith('[')) return 1;
  try {
    return (JSON.parse(text) as unknown[]).length;
  } catch {
    // The reader of the body will report the syntax error.
    return 1;
  }
}

function toInstead({ findRequest }: EventLimitOptions, answer: OversizedAnswer): string {
  const id = findRequest();
  return id === undefined ? '' : JSON.stringify(toTooLargeReply(id, answer));
}

function cutAfter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = maxBytes;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function readRequestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const { id, method } = JSON.parse(body) as { readonly id?: string | number; readonly method?: string };
  return method === undefined ? undefined : id;
}
