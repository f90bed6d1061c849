import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** One port in front of several servers: every request goes to the next of them. */
export interface RoundRobin {
  readonly url: string;
  /** Who got what, in order: `A initialize`, `B tools/call`, `A GET`. */
  readonly log: readonly string[];
}

const NAMES = ['A', 'B'] as const;

export async function openRoundRobin(targets: readonly [string, string]): Promise<RoundRobin> {
  const log: string[] = [];
  let turn = 0;
  const server = createServer((incoming, response) => {
    const index = turn++ % 2 === 0 ? 0 : 1;
    const note = (what: string) => void log.push(`${NAMES[index]} ${what}`);
    forward(incoming, response, { target: targets[index], note }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, log };
}

interface Route {
  readonly target: string;
  readonly note: (what: string) => void;
}

async function forward(incoming: IncomingMessage, response: ServerResponse, { target, note }: Route): Promise<void> {
  const { method = 'GET', headers } = incoming;
  const body = await text(incoming);
  note(body === '' ? method : readMethod(body));
  const outgoing = request(target, { method, headers });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  outgoing.end(body);
}

function readMethod(body: string): string {
  const { method = 'answer' } = JSON.parse(body) as { method?: string };
  return method;
}
