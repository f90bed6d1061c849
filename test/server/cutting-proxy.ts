/** A way to a server on which answers get lost: the request arrives, the answer does not. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * What becomes of the answer to a call: it passes, is cut at its first byte, is read whole and dropped, or passes as far as
 * this matches and is cut there.
 */
export type Cut = 'pass' | 'early' | 'late' | RegExp;

export interface CuttingProxy {
  readonly url: string;
  /** How many answers were dropped. */
  cuts(): number;
  /** Where connections lead that are opened from now on. */
  lead(target: string): void;
}

/**
 * Every connection is one connection to the server, and ends with it. `plan` is asked once for each `tools/call`, and for
 * each stream that is resumed.
 */
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
    let came = '';
    client.on('data', (chunk) => {
      if (chunk.includes('"tools/call"') || /^last-event-id:/im.test(chunk.toString('latin1'))) {
        cut = plan();
        came = '';
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (cut === 'pass') return client.write(chunk);
      const passed = came.length;
      came += chunk.toString('latin1');
      const { upTo, isCut } = judge(cut, came);
      if (upTo > passed) client.write(came.slice(passed, upTo), 'latin1');
      if (!isCut) return;
      cuts += 1;
      // The rest of the connection goes with it.
      client.destroySoon();
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

/** How far an answer passes, of what has come of it, and whether it is cut there. */
function judge(cut: Cut, answer: string): { readonly upTo: number; readonly isCut: boolean } {
  if (!(cut instanceof RegExp)) return { upTo: 0, isCut: cut === 'early' || isWhole(answer) };
  const match = cut.exec(answer);
  return { upTo: match ? match.index + match[0].length : answer.length, isCut: match !== null };
}
