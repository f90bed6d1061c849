/**
 * `fetch` without timeouts of its own.
 *
 * Node's `fetch` times out when a server is silent for five minutes, and a held call may be silent for hours.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

/** `fetch` that waits for as long as a server is silent. Hosts use it by default; wrap it for a `fetch` of your own. */
export async function patientFetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input);
  const { method = 'GET', body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== 'string') return fetch(input, init);
  const headers = Object.fromEntries(new Headers(init.headers));
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Uses a new connection each time: the server may close a reused one just when the request is sent.
    const request = send(url, { method, headers, agent: false, ...(signal && { signal }) }, resolve);
    request.on('error', reject);
    // TCP keep-alive detects a dead peer; a silent one is waited for.
    request.on('socket', (socket) => socket.setKeepAlive(true, 30_000));
    request.end(body ?? undefined);
  });
  return toResponse(response);
}

const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304];

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 500, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (WITHOUT_BODY.includes(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, statusText, headers });
}
