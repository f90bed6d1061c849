/** Serves a web `fetch` handler on a port of this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TaskError } from '../../errors.ts';

export interface PortOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** How many following ports to try when this one is in use. @default 0 */
  readonly more?: number;
  fetch(request: Request): Promise<Response>;
}

export interface OpenPort {
  readonly port: number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Listens on loopback; skips ports in use as long as there are more to try. */
export async function listenOnPort({ port, more = 0, fetch }: PortOptions): Promise<OpenPort> {
  for (let tried = port; ; tried += 1) {
    const server = createServer((message, response) => void serve(fetch, message, response));
    const error = await tryPort(server, tried);
    if (!error) return { port: (server.address() as AddressInfo).port, close: () => close(server) };
    if (error.code === 'EADDRINUSE' && tried < port + more && tried < 65_535) continue;
    const range = tried === port ? `port ${port} is` : `ports ${port} to ${tried} are all`;
    const why =
      error.code === 'EADDRINUSE' ? `${range} taken by other programs` : `port ${tried} cannot be listened on`;
    throw new TaskError('LISTEN_FAILED', `${why}; choose another with --port (0 takes any free one)`, { cause: error });
  }
}

function tryPort(server: Server, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error));
    server.listen(port, HOST, () => resolve(undefined));
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

async function serve(fetch: PortOptions['fetch'], message: IncomingMessage, response: ServerResponse): Promise<void> {
  const leaving = new AbortController();
  response.on('close', () => leaving.abort());
  try {
    const answer = await fetch(toRequest(message, leaving.signal));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const part of answer.body ?? []) {
      if (leaving.signal.aborted) break;
      if (!response.write(part))
        await new Promise((resolve) => void response.once('drain', resolve).once('close', resolve));
    }
    response.end();
  } catch {
    // The request's head could not be parsed, or the client has disconnected.
    response.destroy();
  }
}

function toRequest(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url = '/' } = message;
  const given = Object.entries(headers).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => (one === undefined ? [] : [[name, one] as [string, string]]));
  });
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: message as unknown as ReadableStream<Uint8Array>, duplex: 'half' } : {};
  return new Request(`http://${headers.host ?? HOST}${url}`, {
    method,
    headers: given,
    signal,
    ...body,
  } as RequestInit);
}
