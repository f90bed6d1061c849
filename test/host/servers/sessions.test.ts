import { readFile } from 'node:fs/promises';
import { aesGcmCodec } from 'holdfast';
import { type Call, openSqliteLedger } from 'holdfast/host';
import { describe, expect, it } from 'vitest';
import { textOf } from '../open-host.ts';
import { openForeign } from './open-foreign.ts';

const readTexts = (calls: readonly Call[]) => Promise.all(calls.map(async (call) => textOf(await call.outcome())));

describe('tasks of 2025-11-25 on a server that keeps them by session', () => {
  it('[BAD-360] come back after kill -9 of their host, in the session they were made in', async () => {
    const { desk, url, killHost } = await openForeign();
    await killHost('long', 'a', 'b');
    // One ends while nobody is there.
    await desk.open('a');
    const host = await desk.host();
    await host.connect('foreign', { url });
    const calls = await host.resume();
    await desk.open('b');
    expect((await readTexts(calls)).sort()).toEqual(['a is done', 'b is done']);
    expect(await Promise.all(calls.map((call) => call.ack()))).toEqual([true, true]);
    expect(await host.resume()).toEqual([]);
    expect(desk.notes().filter((line) => line.startsWith('long'))).toHaveLength(2);
    // One for each host: nobody shakes hands again in a session that there is.
    expect(desk.notes().filter((line) => line === 'session')).toHaveLength(2);
  });

  it('[BAD-361] are cancelled in that session, and answered to each of two hosts as they asked', async () => {
    const { desk, url, leaveCalls } = await openForeign();
    await leaveCalls('a', 'b', 'c');
    const [first, second] = [await desk.host(), await desk.host()];
    await Promise.all([first.connect('foreign', { url }), second.connect('foreign', { url })]);
    const [[cancelled, ...ours], [, ...theirs]] = await Promise.all([first.resume(), second.resume()]);
    await cancelled?.cancel('enough');
    expect(await cancelled?.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.open('c');
    await desk.open('b');
    const texts = await readTexts(ours);
    expect(texts.sort()).toEqual(['b is done', 'c is done']);
    expect((await readTexts(theirs)).sort()).toEqual(texts);
  });

  it('[BAD-362] end honestly when their session is gone, and the next call has a new one', async () => {
    const { desk, url, killHost, session } = await openForeign({ refusal: '400' });
    await killHost('long', 'a', 'b');
    const deleted = { method: 'DELETE', headers: { 'mcp-session-id': await session() } };
    expect((await fetch(url, deleted)).status).toBe(200);
    const host = await desk.host();
    await host.connect('foreign', { url });
    for (const call of await host.resume()) {
      expect(await call.outcome()).toMatchObject({
        kind: 'interrupted',
        reason: expect.stringContaining('does not know the task any more'),
      });
    }
    const later = await host.call('foreign', 'long', { gate: 'c' });
    await desk.open('c');
    expect(textOf(await later.outcome())).toBe('c is done');
  });

  it('[BAD-363] a call that a restarted server refuses for its session is sent in a new one', async () => {
    const { desk, url, restart } = await openForeign();
    const host = await desk.host();
    await host.connect('foreign', { url });
    const lost = await host.call('foreign', 'long', { gate: 'a' });
    await lost.sent();
    await restart();
    const call = await host.call('foreign', 'long', { gate: 'b' });
    await desk.open('b');
    expect(textOf(await call.outcome())).toBe('b is done');
    expect(await lost.outcome()).toMatchObject({ kind: 'interrupted' });
    expect(desk.notes().filter((line) => line.startsWith('long'))).toEqual(['long a 1', 'long b 1']);
  });
});

describe('the id of a session', () => {
  it('[BAD-364] is shown to nobody, does not lie in clear, and is sent nowhere but where it came from', async () => {
    const { desk, url, leaveCalls, session } = await openForeign();
    await leaveCalls('a');
    const id = await session();
    expect(id).not.toBe('');
    const seen: (string | null)[] = [];
    const watching: typeof fetch = (input, init) => {
      seen.push(new Headers(init?.headers).get('mcp-session-id'));
      return fetch(input, init);
    };
    const codec = aesGcmCodec({ keys: [{ id: 'k1', key: Buffer.alloc(32, 1) }] });
    const host = await desk.host({ codec });
    expect((await host.calls())[0]?.handle).toMatchObject({ dialect: 'tasks-2025', session: '******' });
    const elsewhere = url.replace('127.0.0.1', 'localhost');
    await host.connect('foreign', { url: elsewhere, fetch: watching });
    const [call] = await host.resume();
    expect(await call?.outcome()).toMatchObject({ kind: 'interrupted' });
    const sealed = await host.call('foreign', 'long', { gate: 'a' });
    await sealed.sent();
    expect((await host.calls())[1]?.handle).toMatchObject({ session: '******' });
    const [, own = ''] = new Set(seen);
    expect(new Set(seen)).toEqual(new Set([null, own]));
    expect(own).not.toBe(id);
    await host.close();
    const ledger = openSqliteLedger({ path: desk.ledger });
    const kept = JSON.stringify(await ledger.list()) + String(await readFile(desk.ledger, 'latin1'));
    await ledger.close();
    for (const secret of [id, String(own)]) expect(kept).not.toContain(secret);
  });
});
