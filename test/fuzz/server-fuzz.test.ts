/**
 * Random messages to whole servers, in both eras, over stdio and HTTP.
 *
 * Nothing kills or hangs a server, every request is answered once with a code that its mistake allows, and the next
 * good request works. `HOLDFAST_FUZZ_RUNS` and `HOLDFAST_FUZZ_SEED` make it longer or another one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { share } from '../share.ts';
import { listGoodRequests } from './good-requests.ts';
import { openHttpPeer } from './http-peer.ts';
import { ACKNOWLEDGED, DEEP, type Era, type Peer, type Seen, toRequestId } from './peer.ts';
import { type RandomMessage, randomMessage } from './random-message.ts';
import { openStdioPeer } from './stdio-peer.ts';

const RUNS = share([...Array(600).keys()], { every: 2 }).length;
const { HOLDFAST_FUZZ_RUNS = String(RUNS), HOLDFAST_FUZZ_SEED = '20261116' } = process.env;
const seed = Number(HOLDFAST_FUZZ_SEED);
/** The messages are shared out among two transports and two eras. */
const numRuns = Math.ceil(Number(HOLDFAST_FUZZ_RUNS) / 4);
const TIMEOUT_MS = 60_000 + 50 * numRuns;
const MAX_HEAP_BYTES = 200 * 1024 * 1024;

describe.each([
  ['stdio', openStdioPeer],
  ['http', openHttpPeer],
] as const)('over %s', (_, openPeer) => {
  it.each(['legacy', 'modern'] as const)(
    '[WIRE-06] random messages neither kill nor hang a server, and each request is answered once: %s',
    async (era) => {
      const peer = await open(openPeer, era);
      const goods = await listGoodRequests(peer);
      await fc.assert(
        fc.asyncProperty(randomMessage(era, goods), async (random) => {
          check(random, await peer.send(random));
        }),
        { numRuns, seed, endOnFailure: true },
      );
      await peer.call('tools/list');
      const { heapBytes } = (await peer.call('tools/call', { name: 'usage' })).structuredContent as {
        heapBytes: number;
      };
      expect(heapBytes).toBeLessThan(MAX_HEAP_BYTES);
    },
    TIMEOUT_MS,
  );
});

function check({ message, codes }: RandomMessage, seen: readonly Seen[]): void {
  const answers = seen.filter(({ method, id }) => method === undefined && id !== undefined);
  const errors = answers.flatMap(({ error }) => (error ? [error.code] : []));
  const isDeep = JSON.stringify(message).includes(DEEP);
  const allowed: readonly number[] = isDeep ? [...codes, -32600] : codes;
  expect(
    errors.filter((code) => !allowed.includes(code)),
    JSON.stringify(answers).slice(0, 500),
  ).toEqual([]);
  if (toRequestId(message) === undefined) return;
  const acknowledged = seen.some(({ method }) => method === ACKNOWLEDGED);
  // A subscription to tasks that have ended is acknowledged, and over at once.
  if (acknowledged) expect(answers.length).toBeLessThanOrEqual(1);
  else expect(answers.length, JSON.stringify(seen).slice(0, 500)).toBe(1);
}

async function open(openPeer: (era: Era, dir: string) => Promise<Peer>, era: Era): Promise<Peer> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-fuzz-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return openPeer(era, dir);
}
