import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Call, CallUpdate } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { patientFetch } from '../../../src/host/transports/patient-fetch.ts';
import { type Desk, openDesk, textOf } from '../open-host.ts';
import { killServers } from './kill-servers.ts';
import { openForeign } from './open-foreign.ts';

/** The first word of it that the server is away. */
async function untilAway(call: Call): Promise<CallUpdate> {
  for await (const update of call.updates()) if (update.type === 'unreachable') return update;
  throw new Error('the call did not wait for its server');
}

/** How a server of ours is started that ends at once unless its gate is open. */
function toGated(desk: Desk) {
  const { args, passEnv } = desk.command('host-sdk1-server', desk.dir);
  const script = `test -e ${join(desk.dir, 'open-up')} && exec "$0" "$@"; exit 1`;
  return { command: 'sh', args: ['-c', script, process.execPath, ...args], passEnv };
}

describe('a call whose server is away', () => {
  it('[BAD-370] waits over HTTP until it is back, says so, and is sent once', async () => {
    const { desk, url, stop, start } = await openForeign();
    const host = await desk.host();
    await host.connect('foreign', { url });
    await stop();
    const call = await host.call('foreign', 'hold', { gate: 'a' });
    expect(await untilAway(call)).toMatchObject({ server: 'foreign', tries: 1, reason: expect.any(String) });
    await start();
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('a is open');
    expect(desk.notes().filter((line) => line.startsWith('hold'))).toEqual(['hold a 1']);
  });

  it('[BAD-371] waits for a command that ends at its start, and a host that comes later sends it', async () => {
    const desk = await openDesk();
    await desk.open('up');
    const first = await desk.host();
    await first.connect('gated', toGated(desk));
    await rm(join(desk.dir, 'open-up'));
    killServers('host-sdk1-server', desk.dir);
    const call = await first.call('gated', 'hold', { gate: 'a' });
    await untilAway(call);
    await until(async () => (await first.calls())[0]?.handle?.isWaiting === true, { what: 'the mark in the ledger' });
    await first.close();
    await desk.open('up');
    await desk.open('a');
    const second = await desk.host();
    await second.connect('gated', toGated(desk));
    const [taken] = await second.resume();
    expect(textOf(await (taken as Call).outcome())).toBe('a is open');
    expect(desk.notes()).toEqual(['', 'hold a 1'].filter(Boolean));
  });

  it('[BAD-372] ends as CONNECT_FAILED after maxWaitMs, and says how often it was tried', async () => {
    const { desk, url, stop } = await openForeign();
    const host = await desk.host();
    await host.connect('foreign', { url });
    await stop();
    const call = await host.call('foreign', 'hold', { gate: 'a' }, { maxWaitMs: 1000 });
    expect(await call.outcome()).toEqual({
      kind: 'error',
      error: { code: 'CONNECT_FAILED', message: expect.stringMatching(/ECONNREFUSED.*; tried (once|\d+ times)$/) },
    });
  });

  it('[BAD-373] ends at once when it is aborted, even while somebody shakes hands', async () => {
    const { desk, url, stop } = await openForeign();
    const host = await desk.host({ connectMs: 600_000 });
    await host.connect('foreign', { url });
    await stop();
    const away = await host.call('foreign', 'hold', { gate: 'a' });
    await untilAway(away);
    await away.cancel('enough');
    expect(await away.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
    const silent = await listenSilently(Number(new URL(url).port));
    const stopping = new AbortController();
    const call = await host.call('foreign', 'hold', { gate: 'a' }, { signal: stopping.signal });
    await until(() => silent.connections() > 0, { what: 'a connection' });
    stopping.abort();
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
  });

  it('[BAD-374] is sent again after a 503, which says that nothing was done; not when a proxy lost it', async () => {
    const { desk, url } = await openForeign();
    let refusals: Response[] = [];
    const behindProxy: typeof fetch = async (input, init) => {
      const refusal = String(init?.body).includes('"tools/call"') ? refusals.shift() : undefined;
      return refusal ?? patientFetch(input as URL, init);
    };
    const host = await desk.host();
    await host.connect('foreign', { url, fetch: behindProxy });
    refusals = [new Response('no server is available', { status: 503 }), new Response('', { status: 503 })];
    const call = await host.call('foreign', 'long', { gate: 'a' });
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('a is done');
    refusals = [new Response('upstream connect error or disconnect/reset before headers', { status: 503 })];
    const lost = await host.call('foreign', 'long', { gate: 'b' });
    expect(await lost.outcome()).toMatchObject({ kind: 'interrupted' });
  });
});

/** Takes connections, and says nothing. */
async function listenSilently(port: number) {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}
