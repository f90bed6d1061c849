/** HTTP as an attacker sends it: byte by byte, and only as much as it likes. */
import { connect, type Socket } from 'node:net';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';

export interface RawLine {
  readonly socket: Socket;
  /** What came back so far. */
  received(): string;
  /** Resolves with the status line and headers once they are there. */
  head(): Promise<string>;
  send(text: string): void;
  isClosed(): boolean;
}

export interface RawHead {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connection on which nothing has been said. */
export async function openLine(url: string): Promise<RawLine> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let received = '';
  let isClosed = false;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // A server that is done with a sender may reset the connection.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return {
    socket,
    received: () => received,
    head: () =>
      until(() => received.includes('\r\n\r\n') && received.split('\r\n\r\n', 1)[0], {
        what: 'the head of an answer',
        timeoutMs: 60_000,
      }),
    send: (text) => void socket.write(text),
    isClosed: () => isClosed,
  };
}

/** The head of a request, and nothing after it. */
export function toHead({ url, method = 'POST', headers = {} }: RawHead): string {
  const { host, pathname } = new URL(url);
  const all = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
