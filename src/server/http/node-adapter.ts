/**
 * Adapts Node's requests and responses to web ones.
 *
 * The body is not read before the handler asks for it. A request refused before that loses its connection, unless the
 * rest of its body is small: reading a large body only to drop it is what an attacker would want.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_DRAINED_BYTES } from '../../limits.ts';
import { followHttpAnswer, recordRequest } from './answer-arrival.ts';
import type { BodySource } from './body.ts';
import type { Gate } from './gate.ts';
import type { Incoming } from './handler.ts';

export interface NodeServing {
  readonly gate: Gate;
  serve(incoming: Incoming): Promise<Response>;
  report(error: unknown): void;
}

export interface NodeListenerOptions extends NodeServing {
  /** The only path that is served. */
  readonly path: string;
}

/** Creates the request listener of our own HTTP server: serves one path and answers 404 to all others. */
export function createNodeListener({ path, ...serving }: NodeListenerOptions) {
  return (message: IncomingMessage, response: ServerResponse): void => {
    if (message.url?.split('?', 1)[0] === path) {
      void serveNode(serving, { message, response, body: () => readBody(message, response) });
      return;
    }
    recordRequest(message, response);
    sendText(message, response, { status: 404, text: `There is nothing here; MCP is served at ${path}` });
  };
}

/** A Node request, and the source of its body. */
export interface NodeRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: BodySource;
}

/** Always answers a request; resolves when the answer has been written, or its client is gone. */
export async function serveNode(serving: NodeServing, { message, response, body }: NodeRequest): Promise<void> {
  recordRequest(message, response);
  const leaving = new AbortController();
  const finished = whenFinished(message, response);
  void finished.then(() => {
    if (!response.writableFinished) leaving.abort();
  });
  const request = toRequest(message, leaving.signal);
  if (!request) {
    sendText(message, response, { status: 400, text: 'Bad Request: its head cannot be read' });
    return;
  }
  const fate = () => followHttpAnswer(message, response);
  const address = message.socket.remoteAddress;
  try {
    const answer = await serving.serve({ request, gate: serving.gate, finished, fate, address, body });
    await send({ message, response, finished }, answer);
  } catch (error) {
    serving.report(error);
    response.destroy();
  }
}

/** Builds the head of a web request; undefined when it is invalid. */
function toRequest(message: IncomingMessage & { originalUrl?: string }, signal: AbortSignal): Request | undefined {
  const { method, headers } = message;
  // Routers strip the path they matched from `url`, and keep the full one in `originalUrl`.
  const url = message.originalUrl ?? message.url ?? '/';
  const given = Object.entries(headers).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => (one === undefined ? [] : [[name, one] as [string, string]]));
  });
  try {
    return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
      method: method ?? 'GET',
      headers: given,
      signal,
    });
  } catch {
    return undefined;
  }
}

/** Stopping early leaves the rest of the body unread, and the request can still be answered. */
function readBody(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  return message.iterator({ destroyOnReturn: false });
}

/** A request and its response. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Resolves when the answer has been sent or never will be. */
  readonly finished: Promise<void>;
}

/** For a response queued behind another one, Node emits no event when the connection closes; so the socket is watched too. */
function whenFinished({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  // One listener per pipelined request; their number is limited elsewhere.
  socket.setMaxListeners(0);
  return new Promise((resolve) => {
    const onClosed = () => {
      socket.off('close', onClosed);
      response.off('close', onClosed);
      resolve();
    };
    socket.on('close', onClosed);
    response.on('close', onClosed);
    // The connection may have closed while this code was being loaded.
    if (socket.destroyed) onClosed();
  });
}

async function send({ message, response, finished }: Exchange, answer: Response): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...toClosing(message) });
  if (!answer.body) {
    response.end();
    return;
  }
  let isGone = false;
  void finished.then(() => {
    isGone = true;
  });
  try {
    for await (const chunk of answer.body) {
      if (isGone) break;
      if (!response.write(chunk)) await Promise.race([nextDrain(response), finished]);
    }
  } catch {
    // The source stream failed: the client sees the stream end, and asks again.
  }
  response.end();
}

function nextDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', resolve));
}

interface Text {
  readonly status: number;
  readonly text: string;
}

function sendText(message: IncomingMessage, response: ServerResponse, { status, text }: Text): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', ...toClosing(message) }).end(`${text}\n`);
}

/** An unread body blocks the next request. Node discards a small one; a large one costs the connection. */
function toClosing({ complete, headers, readableFlowing }: IncomingMessage): { connection?: string } {
  const isUntouched = readableFlowing === null;
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  return complete || (isUntouched && length <= MAX_DRAINED_BYTES) ? {} : { connection: 'close' };
}
