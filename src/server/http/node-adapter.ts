/**
 * Requests and responses of Node, as those of the web.
 *
 * Nothing of a body is read before the handler asks for it. A request that is refused before that costs its connection,
 * unless what is left of it is small: reading a large body only to drop it would be what its sender wants.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_DRAINED_BYTES } from '../../limits.ts';
import { followHttpAnswer, seeRequest } from './answer-arrival.ts';
import type { BodySource } from './body.ts';
import type { Gate } from './gate.ts';
import type { Incoming } from './handler.ts';

export interface NodeServing {
  readonly gate: Gate;
  serve(incoming: Incoming): Promise<Response>;
  report(error: unknown): void;
}

export interface NodeListenerOptions extends NodeServing {
  /** The one path that is served. */
  readonly path: string;
}

/** For a server of ours: one path is served, and nobody else answers. */
export function createNodeListener({ path, ...serving }: NodeListenerOptions) {
  return (message: IncomingMessage, response: ServerResponse): void => {
    if (message.url?.split('?', 1)[0] === path) {
      void serveNode(serving, { message, response, body: () => readBody(message, response) });
      return;
    }
    seeRequest(message, response);
    sendText(message, response, { status: 404, text: `There is nothing here; MCP is served at ${path}` });
  };
}

/** A request of Node's, and where its body comes from. */
export interface NodeRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: BodySource;
}

/** Answers a request whatever happens; resolves when the answer has been written, or nobody is there to take it. */
export async function serveNode(serving: NodeServing, { message, response, body }: NodeRequest): Promise<void> {
  seeRequest(message, response);
  const leaving = new AbortController();
  const left = whenLeft(message, response);
  void left.then(() => {
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
    const answer = await serving.serve({ request, gate: serving.gate, left, fate, address, body });
    await send({ message, response, left }, answer);
  } catch (error) {
    serving.report(error);
    response.destroy();
  }
}

/** The head of a request; nothing when it makes none. */
function toRequest(message: IncomingMessage & { originalUrl?: string }, signal: AbortSignal): Request | undefined {
  const { method, headers } = message;
  // Routers take off what they have matched, and keep the whole of it.
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

/** Whoever stops reading leaves the rest where it is, and can still answer. */
function readBody(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  return message.iterator({ destroyOnReturn: false });
}

/** A request and the way back. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Resolves when the answer has left or never will. */
  readonly left: Promise<void>;
}

/** Of answers that wait behind another on their connection, Node does not say that it is gone. */
function whenLeft({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  // One for each request that was sent before the first is answered; how many there may be is limited elsewhere.
  socket.setMaxListeners(0);
  return new Promise((resolve) => {
    const onClosed = () => {
      socket.off('close', onClosed);
      response.off('close', onClosed);
      resolve();
    };
    socket.on('close', onClosed);
    response.on('close', onClosed);
    // It may have gone while this code was being loaded.
    if (socket.destroyed) onClosed();
  });
}

async function send({ message, response, left }: Exchange, answer: Response): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...toClosing(message) });
  if (!answer.body) {
    response.end();
    return;
  }
  let isGone = false;
  void left.then(() => {
    isGone = true;
  });
  try {
    for await (const chunk of answer.body) {
      if (isGone) break;
      if (!response.write(chunk)) await Promise.race([nextDrain(response), left]);
    }
  } catch {
    // The source of a stream broke: its client sees it end, and asks again.
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

/** A body that nobody reads stands before the next request. Node drops a small one; a large one costs the connection. */
function toClosing({ complete, headers, readableFlowing }: IncomingMessage): { connection?: string } {
  const isUntouched = readableFlowing === null;
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  return complete || (isUntouched && length <= MAX_DRAINED_BYTES) ? {} : { connection: 'close' };
}
