import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openProxy } from '../../../src/campaign/chaos/peers/faulty-proxy.ts';

async function openLine() {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end(`answer to ${request.url}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = await openProxy(() => port);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
    server.closeAllConnections();
  });
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${proxy.port}${path}`, { headers: { connection: 'close' } }).then(
      (response) => response.text(),
      () => 'failed',
    );
  return { proxy, seen, get };
}

describe('the proxy between clients and servers', () => {
  it('[BAD-562] cuts connections, and lets them through again', async () => {
    const { proxy, seen, get } = await openLine();
    expect(await get('/1')).toBe('answer to /1');
    proxy.set({ kind: 'drop' });
    expect(await get('/2')).toBe('failed');
    proxy.set({ kind: 'pass' });
    expect(await get('/3')).toBe('answer to /3');
    expect(seen).toEqual(['/1', '/3']);
  });

  it('[BAD-562] loses answers to requests that have arrived', async () => {
    const { proxy, seen, get } = await openLine();
    proxy.set({ kind: 'lose' });
    expect(await get('/1')).toBe('failed');
    expect(seen).toEqual(['/1']);
  });

  it('[BAD-562] delays what passes and keeps it whole, also when the delay ends on the way', async () => {
    const { proxy, get } = await openLine();
    proxy.set({ kind: 'delay', byMs: 100 });
    const startAt = performance.now();
    expect(await get('/1')).toBe('answer to /1');
    expect(performance.now() - startAt).toBeGreaterThan(150);
    const second = get('/2');
    proxy.set({ kind: 'pass' });
    expect(await second).toBe('answer to /2');
  });
});
