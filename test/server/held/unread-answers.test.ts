import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openLine, toHead } from '../../security/http/raw-http.ts';
import { openHttp, openSession } from '../open-http.ts';
import { connect, ERAS } from '../open-lossy.ts';
import { callModern, textOf } from '../plain-client.ts';

const MIB = 1024 * 1024;
const REFUSED = -32_029;
const BUSY_MS = 60_000;

/** Asks for more than a client may leave unread, and reads none of it; the way to go away. */
async function leaveUnread(url: string): Promise<() => void> {
  const lines = [await openLine(url), await openLine(url)];
  for (const { socket, send } of lines) {
    socket.pause();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'fill' } });
    const headers = { ...(await openSession(url)), 'content-length': String(body.length) };
    send(toHead({ url, headers }) + body);
  }
  return () => {
    for (const { socket } of lines) socket.destroy();
  };
}

it('[BAD-418] an answer that was held back because others are unread is given later, and nothing runs again', async () => {
  const rig = await openHttp();
  const runs: string[] = [];
  const url = await rig.serve({ joinMs: 600_000 }, (server) => {
    server.tool('fill', { task: 'never', maxResultBytes: 64 * MIB, run: () => 'x'.repeat(63 * MIB) });
    server.tool('probe', { task: 'never', run: () => 'x'.repeat(3 * MIB) });
    server.tool('count', {
      input: z.object({ of: z.string() }),
      inlineResult: { textBytes: 4 * MIB },
      run({ of }) {
        runs.push(of);
        return of.padEnd(3 * MIB);
      },
    });
  });
  const goAway = await leaveUnread(url);
  const probe = async () => (await callModern(url, 'probe')).error?.code;
  await until(async () => (await probe()) === REFUSED, { what: 'a refusal', timeoutMs: BUSY_MS });
  const clients = await Promise.all(ERAS.map((era) => connect(url, era)));
  for (const [index, call] of clients.entries()) expect((await call(`${index}`)).error?.code).toBe(REFUSED);
  goAway();
  await until(async () => (await probe()) === undefined, { what: 'room for answers', timeoutMs: BUSY_MS });
  for (const [index, call] of clients.entries()) {
    const heard = await call(`${index}`);
    expect(textOf(heard).trim()).toBe(`${index}`);
    expect(heard.result?._meta).toHaveProperty(['holdfast/joined']);
  }
  expect(runs).toEqual(['0', '1']);
}, 120_000);
