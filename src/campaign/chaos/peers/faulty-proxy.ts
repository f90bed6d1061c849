/**
 * A TCP proxy on this machine that can cut connections, delay data and lose responses.
 *
 * - pass:  everything is forwarded.
 * - drop:  open connections are cut and new ones closed at once.
 * - delay: each chunk is delayed, in order.
 * - lose:  requests arrive; responses do not, and their connection is cut.
 */
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

export type FaultyMode =
  | { readonly kind: 'pass' | 'drop' | 'lose' }
  | { readonly kind: 'delay'; readonly byMs: number };

export interface FaultyProxy {
  readonly port: number;
  set(mode: FaultyMode): void;
  close(): Promise<void>;
}

/** Opens a proxy for a port that may change while the proxy runs. */
export async function openProxy(toPort: () => number): Promise<FaultyProxy> {
  const pairs = new Set<Socket>();
  let mode: FaultyMode = { kind: 'pass' };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode.kind === 'drop') return void client.destroy();
    const upstream = createConnection({ port: toPort(), host: '127.0.0.1', allowHalfOpen: true });
    const cut = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(client);
    };
    pairs.add(client);
    for (const socket of [client, upstream]) socket.on('error', cut);
    client.on('close', cut);
    const [toServer, toClient] = [createPipe(upstream), createPipe(client)];
    client.on('data', (chunk) => toServer.push(chunk, mode)).on('end', () => toServer.end());
    upstream.on('data', (chunk) => (mode.kind === 'lose' ? cut() : toClient.push(chunk, mode)));
    upstream.on('end', () => toClient.end()).on('close', (failed) => failed && cut());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: toListeningPort(server),
    set(next) {
      mode = next;
      if (next.kind === 'drop') for (const client of pairs) client.destroy();
    },
    async close() {
      for (const client of pairs) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Pipe {
  push(chunk: Buffer, mode: FaultyMode): void;
  /** Ends the stream after all waiting chunks were sent. */
  end(): void;
}

/** Chunks leave in the order they arrived, even when the delay changes between them. */
function createPipe(to: Socket): Pipe {
  const waiting: { readonly chunk: Buffer | undefined; readonly dueAt: number }[] = [];
  const pump = () => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const leftMs = next.dueAt - performance.now();
      if (leftMs > 0) return void setTimeout(pump, leftMs);
      waiting.shift();
      if (to.destroyed) continue;
      if (next.chunk) to.write(next.chunk);
      else to.end();
    }
  };
  const add = (chunk: Buffer | undefined, afterMs: number) => {
    waiting.push({ chunk, dueAt: performance.now() + afterMs });
    if (waiting.length === 1) pump();
  };
  return {
    push: (chunk, mode) => add(chunk, mode.kind === 'delay' ? mode.byMs : 0),
    end: () => add(undefined, 0),
  };
}

function toListeningPort(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
