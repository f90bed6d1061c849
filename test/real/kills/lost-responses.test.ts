import { describe, expect, it } from 'vitest';
import { openSite } from '../../e2e/site.ts';
import { openCuttingProxy } from '../../server/cutting-proxy.ts';
import { type Call, createDice, ERAS, type Era, insist } from '../../server/open-lossy.ts';
import { callModern, openPlain } from '../../server/plain-client.ts';

const CALLS = 200;

async function connect(url: string, era: Era): Promise<Call> {
  if (era === 'modern') return (label) => callModern(url, 'work', { args: { ms: 0, label } });
  const client = await openPlain(url);
  return (label) => client.call('work', { ms: 0, label });
}

/** Makes calls through a way that loses answers; what ran, and how many were lost. */
async function run(era: Era, { replicas, lanes }: { readonly replicas: number; readonly lanes: number }) {
  const site = await openSite('plain-server');
  const servers = await Promise.all(Array.from({ length: replicas }, () => site.serve()));
  const roll = createDice(23);
  let turn = 0;
  const proxy = await openCuttingProxy(servers[0]?.url ?? '', () => {
    // The next connection goes to the next server.
    proxy.lead(servers[++turn % replicas]?.url ?? '');
    return (['pass', 'early', 'late'] as const)[roll(3)] ?? 'pass';
  });
  const call = await connect(proxy.url, era);
  const names = Array.from({ length: CALLS }, (_, index) => `call ${index}`);
  const lane = async () => {
    for (let of = names.shift(); of !== undefined; of = names.shift()) {
      expect(await insist(call, of)).toBe(`${of} done`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { runs: site.runs(), cuts: proxy.cuts() };
}

describe.each(ERAS)('200 plain calls with random cuts (%s)', (era) => {
  it.each([
    ['[BAD-401] in a row', { replicas: 1, lanes: 1 }],
    ['[BAD-401] at once', { replicas: 1, lanes: 8 }],
    ['[BAD-409] by turns through two servers', { replicas: 2, lanes: 4 }],
  ])(
    '%s: each runs once',
    async (_, how) => {
      const { runs, cuts } = await run(era, how);
      expect(cuts).toBeGreaterThan(CALLS / 2);
      expect(runs).toHaveLength(CALLS);
      expect(new Set(runs).size).toBe(CALLS);
    },
    600_000,
  );
});
