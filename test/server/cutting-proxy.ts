/** A way to a server on which answers get lost: the request arrives, the answer does not. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What becomes of the answer to a call: it passes, is cut at its first byte, or is read whole and dropped. */
export type Cut = 'pass' | 'early' | 'late';

export interface CuttingProxy {
  readonly url: string;
  /** How many answers were dropped. */
  cuts(): number;
  /** Where connections lead that are opened from now on. */
  lead(target: string): void;
}

/** Every connection is one connection to the server, and ends with it. `plan` is asked once for each `tools/call`. */
export async function openCuttingProxy(target: string, plan: () => Cut): Promise<CuttingProxy> {
  let { port } = new URL(target);
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let cut: Cut = 'pass';
    let dropped = '';
    client.on('data', (chunk) => {
      if (chunk.includes('"tools/call"')) cut = plan();
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (cut === 'pass') return client.write(chunk);
      dropped += chunk.toString('latin1');
      if (cut === 'late' && !isWhole(dropped)) return;
      cuts += 1;
      client.destroy();
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname}`,
    cuts: () => cuts,
    lead(to) {
      port = new URL(to).port;
    },
  };
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split(/\r\n\r\n(.*)/s);
  if (body === undefined) return false;
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
}
