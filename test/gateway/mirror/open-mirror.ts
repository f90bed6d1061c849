/** Gateways in this process, before servers in this process, reached over HTTP. */
import { createMemoryStore } from 'holdfast';
import { createGateway, type GatewayOptions } from 'holdfast/gateway';
import { onTestFinished } from 'vitest';
import { type Era, openRawHttp, type RawHttp } from '../../e2e/raw-client.ts';

export interface Mirrored {
  readonly url: string;
  client(era: Era): Promise<RawHttp>;
}

/** A gateway whose work is done in this process and kept in its memory. */
export async function openMirror(options: GatewayOptions): Promise<Mirrored> {
  const gateway = createGateway({
    name: 'mirror',
    store: createMemoryStore(),
    workers: 'inline',
    unprotected: true,
    ...options,
  });
  const { url, close } = await gateway.listen({ port: 0, unprotected: true });
  onTestFinished(async () => {
    await close();
    await gateway.close();
  });
  return { url, client: (era) => openRawHttp(url, era, async () => {}) };
}
